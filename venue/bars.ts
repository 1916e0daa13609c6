import { compare, type Decimal } from '#domain/decimal.ts'
import { HOUR_MS, MINUTE_MS } from '#domain/time-units.ts'
import type { MarketHours } from './market-hours.ts'
import { quoteAt } from './prices.ts'

/** The trades within a span of time, in dollars a share. */
export interface Bar {
  /** Where it begins; epoch milliseconds. */
  at: number
  open: Decimal
  high: Decimal
  low: Decimal
  close: Decimal
  /** Shares. */
  volume: number
}

/** Lengths of bars in milliseconds, by Alpaca's names; a day is a session. */
export const BAR_SPANS_MS = {
  '1Min': MINUTE_MS,
  '5Min': 5 * MINUTE_MS,
  '15Min': 15 * MINUTE_MS,
  '1Hour': HOUR_MS,
  '1Day': 24 * HOUR_MS,
} as const
export type Span = keyof typeof BAR_SPANS_MS

/** Looks at the path of the price within one bar, from which its highest and lowest are taken. */
const LOOKS_A_BAR = 12

/**
 * Bars of the computed path, newest first: a pure function of its arguments, like the price itself. Only times at which
 * the market is open have bars. A pinned price has no history.
 *
 * @param query instants in epoch milliseconds, `to` not after now
 */
export function barsOf(
  { seed, hours }: { seed: number; hours: MarketHours },
  query: { symbol: string; span: Span; from: number; to: number; limit: number },
): { bars: Bar[]; isComplete: boolean } {
  const bars: Bar[] = []
  for (const { startsAt, endsAt } of spansBefore(hours, query)) {
    if (bars.length === query.limit) return { bars, isComplete: false }
    bars.push(barBetween(seed, query.symbol, startsAt, Math.min(endsAt, query.to)))
  }
  return { bars, isComplete: true }
}

/** The spans of open market that begin within the period, newest first. */
function* spansBefore(
  hours: MarketHours,
  { span, from, to }: { span: Span; from: number; to: number },
): Generator<{ startsAt: number; endsAt: number }> {
  const length = BAR_SPANS_MS[span]
  let session = hours.sessionToday(to) ?? hours.previousSession(to)
  if (session.opensAt > to) session = hours.previousSession(session.opensAt)
  while (session.closesAt > from) {
    if (span === '1Day') {
      if (session.opensAt < from) return
      yield { startsAt: session.opensAt, endsAt: session.closesAt }
    } else {
      const newest = Math.min(to, session.closesAt - 1)
      for (
        let startsAt = newest - (newest % length);
        startsAt >= Math.max(from, session.opensAt);
        startsAt -= length
      )
        yield { startsAt, endsAt: startsAt + length }
    }
    session = hours.previousSession(session.opensAt - 1)
  }
}

function barBetween(seed: number, symbol: string, startsAt: number, endsAt: number): Bar {
  const step = Math.max(1, (endsAt - startsAt) / LOOKS_A_BAR)
  const prices: Decimal[] = []
  for (let at = startsAt; at < endsAt; at += step) prices.push(quoteAt(seed, symbol, Math.round(at)).last)
  prices.push(quoteAt(seed, symbol, endsAt).last)
  const extreme = (sign: 1 | -1) => prices.reduce((a, b) => (sign * compare(a, b) >= 0 ? a : b))
  // More trades where the price moves more, and never none.
  const cents = Math.round((Number(extreme(1)) - Number(extreme(-1))) * 100)
  const minutes = Math.max(1, Math.round((endsAt - startsAt) / MINUTE_MS))
  return {
    at: startsAt,
    open: prices[0]!,
    high: extreme(1),
    low: extreme(-1),
    close: prices.at(-1)!,
    volume: 1_000 * minutes + 250 * cents,
  }
}
