import type { Protection } from '#client/types.ts'

export type { ProtectionPlan as Plan } from '#client/types.ts'
/** What is said of a plan: an answer has all parts, one that is being written some. */
export type ProtectionTerms = Partial<Protection>
export type LevelTerms = NonNullable<Protection['target']>
export type DistanceTerms = Omit<LevelTerms, 'price'>
