import { compare, isPositive, magnitude, multiply, subtract, type Decimal } from './decimal.ts'
import { dollarAmount } from './figures.ts'
import { DAY_MS } from './time-units.ts'

/**
 * Brokers were seen to show four times the equity for ten minutes, and none of it for a moment. So a reading
 * within {@link EQUITY_MOVE} percent of the last believed one (wider for each day since) is believed. Any other
 * is doubted until a second one agrees {@link AGREES_AFTER} later, because gaps and transfers do move accounts;
 * an advisory says so for an hour. More than twice or less than half has to last for {@link HARD_BOUND_AFTER}.
 */
const EQUITY_MOVE = 25
const AGREES_AFTER = 3_000
const HARD_BOUND_AFTER = 15 * 60_000
const TOLD_FOR = 3_600_000

export interface EquityRecord {
  believed: Decimal
  believedAt: string
  doubted: Decimal | null
  doubtBeganAt: string | null
}

export function noteEquity(record: EquityRecord | null, reading: Decimal, at: string): EquityRecord {
  const believe = (doubtBeganAt: string | null): EquityRecord => ({
    believed: reading,
    believedAt: at,
    doubted: null,
    doubtBeganAt,
  })
  // Clocks may have been set back: a later reading is newer.
  if (record === null || !isPositive(record.believed)) return believe(null)
  const { believed, doubted, doubtBeganAt } = record
  const days = Math.max(0, Math.floor(between(record.believedAt, at) / DAY_MS))
  if (isWithin(reading, believed, EQUITY_MOVE * (1 + days)))
    return believe(doubted === null ? doubtBeganAt : null)
  const agrees = doubted !== null && doubtBeganAt !== null && isWithin(reading, doubted, EQUITY_MOVE)
  if (!agrees) return { ...record, doubted: reading, doubtBeganAt: at }
  const stands = between(doubtBeganAt, at)
  return stands >= (isBeyondBound(reading, believed) ? HARD_BOUND_AFTER : AGREES_AFTER)
    ? believe(doubtBeganAt)
    : { ...record, doubted: reading }
}

export function equityDoubt({ believed, believedAt, doubted }: EquityRecord): string | null {
  if (doubted === null) return null
  return `The broker shows an equity of ${dollarAmount(doubted)} where it showed ${dollarAmount(believed)} at ${believedAt}`
}

export function equityMove({ believed, doubted, doubtBeganAt }: EquityRecord, at: string): string | null {
  if (doubted !== null || doubtBeganAt === null || between(doubtBeganAt, at) > TOLD_FOR) return null
  return `The equity moved at ${doubtBeganAt} by more than ${EQUITY_MOVE} %, and has stood at about ${dollarAmount(believed)} since`
}

const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

const isWithin = (reading: Decimal, base: Decimal, percent: number): boolean =>
  compare(multiply(magnitude(subtract(reading, base)), '100'), multiply(magnitude(base), `${percent}`)) <= 0

const isBeyondBound = (reading: Decimal, believed: Decimal): boolean =>
  compare(reading, multiply(believed, '2')) > 0 || compare(multiply(reading, '2'), believed) < 0
