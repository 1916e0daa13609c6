import type { FlatByClose } from './flat-by-close.ts'

export type Loosens<Value> = (before: Value, after: Value) => boolean

/** The compiler asks for every new term. */
export type LoosensEach<Terms> = { [Name in keyof Terms]-?: Loosens<Terms[Name]> }

/** Tightening some does not make up for loosening others. */
export const loosenedBy = <Terms extends object>(
  table: LoosensEach<Terms>,
  before: Terms,
  after: Terms,
): (keyof Terms)[] =>
  (Object.keys(table) as (keyof Terms)[]).filter((name) => table[name](before[name], after[name]))

export const never: Loosens<unknown> = () => false

export const becomes =
  <Value>(risky: NoInfer<Value>): Loosens<Value> =>
  (before, after) =>
    before !== risky && after === risky

export const flatLater: Loosens<FlatByClose | null> = (before, after) =>
  before !== null &&
  (after === null || after.minutes < before.minutes || (before.includeManual && !after.includeManual))
