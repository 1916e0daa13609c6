import type { Protection, ProtectionLevels as Plan } from '#client/types.ts'

export type { Plan }
/** What is said of a plan: an answer has all parts, one that is being written some. */
export type ProtectionTerms = Partial<Protection>
export type LevelTerms = NonNullable<Protection['target']>
export type DistanceTerms = Omit<LevelTerms, 'price'>

/** The plan of a signal that a question is about. */
export interface Planned {
  signalId: string
  symbol: string
  terms: ProtectionTerms
  plan: Plan
  /** Dollars a share in the market now; null while it is not known. */
  price: number | null
  isReal: boolean
}
