import { compare, isPositive, magnitude, multiply, subtract, type Decimal } from './decimal.ts'
import { dollarAmount } from './figures.ts'
import { DAY_MS } from './time-units.ts'

/**
 * Brokers were seen to show four times the equity of an account for ten minutes, and none of it for a moment. What an order is
 * sized by, or a loss is measured by, is believed by one rule:
 *
 * - A reading that lies within {@link EQUITY_MOVE} percent of the last believed one is believed. For each day since then the
 *   bound is that much wider, so an account that was not looked at for long is not doubted for what it did meanwhile.
 * - Any other one is doubted. Another reading that agrees with it is believed {@link AGREES_AFTER} after the doubt began, with an
 *   advisory for an hour: gaps over night, leverage and transfers move accounts, and brokers do not tell of all of them.
 * - A reading beyond the hard bound, which is more than twice or less than half of what was believed, has to stand for
 *   {@link HARD_BOUND_AFTER} before it is believed.
 */
const EQUITY_MOVE = 25
const AGREES_AFTER = 3_000
const HARD_BOUND_AFTER = 15 * 60_000
const TOLD_FOR = 3_600_000

/** The equity of an account that is believed, and the one that is doubted; dollars and UTC instants. */
export interface EquityRecord {
  believed: Decimal
  believedAt: string
  /** The last reading that is not believed; null when there is no doubt. */
  doubted: Decimal | null
  /** When the last doubt began, which may be over; null when there was none. */
  doubtBeganAt: string | null
}

/** The record after another reading. */
export function noteEquity(record: EquityRecord | null, reading: Decimal, at: string): EquityRecord {
  const believe = (doubtBeganAt: string | null): EquityRecord => ({
    believed: reading,
    believedAt: at,
    doubted: null,
    doubtBeganAt,
  })
  // A broker's clock or ours may have been set back: what was read later is newer.
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

/** Why the equity cannot be believed, in words with both figures; null when it can. */
export function equityDoubt({ believed, believedAt, doubted }: EquityRecord): string | null {
  if (doubted === null) return null
  return `The broker shows an equity of ${dollarAmount(doubted)} where it showed ${dollarAmount(believed)} at ${believedAt}`
}

/** The news of an equity that was doubted shortly before; null when there is nothing to tell. */
export function equityMove({ believed, doubted, doubtBeganAt }: EquityRecord, at: string): string | null {
  if (doubted !== null || doubtBeganAt === null || between(doubtBeganAt, at) > TOLD_FOR) return null
  return `The equity moved at ${doubtBeganAt} by more than ${EQUITY_MOVE} %, and has stood at about ${dollarAmount(believed)} since`
}

const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

const isWithin = (reading: Decimal, base: Decimal, percent: number): boolean =>
  compare(multiply(magnitude(subtract(reading, base)), '100'), multiply(magnitude(base), `${percent}`)) <= 0

const isBeyondBound = (reading: Decimal, believed: Decimal): boolean =>
  compare(reading, multiply(believed, '2')) > 0 || compare(multiply(reading, '2'), believed) < 0
