import type { Decimal } from '#domain/money/decimal.ts'
import type { Instruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import type { Trade } from '#domain/signal/move.ts'
import type { SenderHolds } from '#domain/signal/sender-position.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import type { Given, SenderFields } from './sender-fields.ts'

export interface Reading {
  instructions: Instruction[]
  name: string | null
  isTest: boolean
}

export interface Dialect {
  /** Nested fields count like top-level fields. */
  isNested: boolean
  read(fields: SenderFields, settings: HookSettings, body: JsonObject): Reading | null
  /** Null where messages in words ("buy 10 AAPL") are not accepted. */
  readLine: ((line: string, fields: SenderFields, settings: HookSettings) => Reading | null) | null
}

export type Side = 'LONG' | 'SHORT'
export type Direction = 'buy' | 'sell'

export interface Size {
  unit: 'shares' | 'dollars' | 'percentEquity' | 'percentOfPosition' | 'riskPercent' | 'riskDollars'
  value: Decimal
  given: Given
}

export type Intent =
  | { kind: 'move'; move: Trade }
  | { kind: 'close'; side: Side | null }
  /** Shares, negative for a short position; `at` is a UTC instant. */
  | { kind: 'target'; position: Decimal; at: string | null; given: Given }

export interface TradeRequest {
  symbol: string
  intent: Intent
  size: Size | null
  /** Shares without any other size; absent: such a message is denied. */
  sizeless?: Decimal
  order: Record<string, unknown>
  protection?: ReadExit
  delaySeconds?: number | null
  senderHolds?: SenderHolds | null
  /** The sender's names of our fields. */
  names: Partial<Record<string, string>>
}

export interface ReadExit {
  stop: (ReadPart & { limit: ReadPrice | null }) | null
  target: ReadPart | null
  trail: ReadPart | null
  unkept: { given: Given; why: string }[]
}

export interface ReadPart {
  given: Given
  fields: Partial<Record<'price' | 'percent' | 'amount', ReadPrice>>
}
export type ReadPrice = { given: Given; value: Decimal }

export const wordsFor = <Meaning extends string>(
  words: Readonly<Record<Meaning, string>>,
): Readonly<Record<string, Meaning>> =>
  Object.fromEntries(
    Object.entries<string>(words).flatMap(([meaning, all]) =>
      all.split(' ').map((word) => [word, meaning as Meaning]),
    ),
  )

export function sharesOf(fields: SenderFields, given: Given | null): Size | null {
  const value = fields.positive(given)
  return given === null || value === null ? null : { unit: 'shares', value, given }
}
