import type { FlatByClose } from './flat-by-close.ts'

/** Whether more is allowed than before by the change of a term. */
export type Loosens<Value> = (before: Value, after: Value) => boolean

/** For each term whether a change of it loosens. Of a term that comes later the compiler asks for it. */
export type LoosensEach<Terms> = { [Name in keyof Terms]-?: Loosens<Terms[Name]> }

/** The terms by which more is allowed than before. Tightening some does not make up for loosening others. */
export const loosenedBy = <Terms extends object>(
  table: LoosensEach<Terms>,
  before: Terms,
  after: Terms,
): (keyof Terms)[] =>
  (Object.keys(table) as (keyof Terms)[]).filter((name) => table[name](before[name], after[name]))

/** Of terms that decide about no trade. */
export const never: Loosens<unknown> = () => false

/** Of choices of which one allows more than every other. */
export const becomes =
  <Value>(risky: NoInfer<Value>): Loosens<Value> =>
  (before, after) =>
    before !== risky && after === risky

/** Positions are held longer than before. */
export const flatLater: Loosens<FlatByClose | null> = (before, after) =>
  before !== null &&
  (after === null || after.minutes < before.minutes || (before.includeManual && !after.includeManual))
