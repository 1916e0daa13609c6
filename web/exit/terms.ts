import type { Protection, ProtectionPlan as Plan } from '#client/types.ts'

export type { Plan }
/** Levels of an exit: complete in an answer, partial in a draft. */
export type ProtectionTerms = Partial<Protection>
export type LevelTerms = NonNullable<Protection['target']>
export type DistanceTerms = Omit<LevelTerms, 'price'>

export interface Planned {
  signalId: string
  symbol: string
  terms: ProtectionTerms
  plan: Plan
  /** Dollars a share in the market now; null while unknown. */
  price: number | null
  isReal: boolean
}
