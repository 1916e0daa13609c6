import { compare, type Decimal } from '#domain/money/decimal.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#domain/time/instants.ts'
import { addDays, weekday } from '#domain/time/wall-time.ts'
import type { MarketHours, Session } from './market-hours.ts'
import { quoteAt } from './prices.ts'
import type { Timeframe } from './timeframe.ts'

/** Prices in dollars a share. */
export interface Bar {
  /** Beginning; epoch milliseconds. */
  at: number
  open: Decimal
  high: Decimal
  low: Decimal
  close: Decimal
  /** Shares. */
  volume: number
}

/** Epoch milliseconds, both included; `to` is not after now. */
export interface HistoryQuery {
  symbol: string
  from: number
  to: number
  direction: 'asc' | 'desc'
  limit: number
}

export interface HistoryPart<Item> {
  items: Item[]
  isComplete: boolean
}

interface Span {
  startsAt: number
  endsAt: number
}

const LOOKS_A_BAR = 12
/** First day of the NYSE calendar. */
const BEGINNING = Date.parse('2020-01-02')

/** Pure. Only open market has bars; a pinned price has none. */
export function barsOf(
  { seed, hours }: { seed: number; hours: MarketHours },
  query: HistoryQuery & { timeframe: Timeframe },
): HistoryPart<Bar> {
  return firstOf(spansOf(hours, query), query.limit, ({ startsAt, endsAt }) =>
    barBetween(seed, query.symbol, startsAt, Math.min(endsAt, query.to)),
  )
}

/** Whole seconds of open market, each with a trade and a quote. */
export function ticksOf(hours: MarketHours, query: Omit<HistoryQuery, 'symbol'>): HistoryPart<number> {
  return firstOf(spansOf(hours, { ...query, timeframe: SECOND }), query.limit, ({ startsAt }) => startsAt)
}

const SECOND: Timeframe = { unit: 'clock', length: SECOND_MS }

function firstOf<Item>(
  spans: Generator<Span>,
  limit: number,
  itemOf: (span: Span) => Item,
): HistoryPart<Item> {
  const items: Item[] = []
  for (const span of spans) {
    if (items.length === limit) return { items, isComplete: false }
    items.push(itemOf(span))
  }
  return { items, isComplete: true }
}

function* spansOf(
  hours: MarketHours,
  { timeframe, direction, ...query }: Omit<HistoryQuery, 'symbol' | 'limit'> & { timeframe: Timeframe },
): Generator<Span> {
  const period = { from: Math.max(query.from, BEGINNING), to: query.to }
  if (period.from > period.to) return
  if (timeframe.unit === 'clock') {
    for (const session of sessionsOf(hours, { ...period, direction }))
      yield* spansWithin(session, timeframe.length, { ...period, direction })
    return
  }
  // Only the first session shows that a week or month began before the period, and does not count.
  const reach = timeframe.unit === 'month' ? timeframe.amount * 31 * DAY_MS : 7 * DAY_MS
  let group = null as (Span & { key: string }) | null
  for (const { date, opensAt, closesAt } of sessionsOf(hours, {
    from: Math.max(BEGINNING, period.from - reach),
    to: period.to,
    direction,
  })) {
    const key = groupOf(date, timeframe)
    if (group !== null && group.key === key) {
      group.startsAt = Math.min(group.startsAt, opensAt)
      group.endsAt = Math.max(group.endsAt, closesAt)
      continue
    }
    if (group && group.startsAt >= period.from) yield group
    group = { key, startsAt: opensAt, endsAt: closesAt }
  }
  if (group && group.startsAt >= period.from) yield group
}

function groupOf(date: string, timeframe: Exclude<Timeframe, { unit: 'clock' }>): string {
  if (timeframe.unit === 'day') return date
  if (timeframe.unit === 'week') return addDays(date, 1 - weekday(date))
  const [year, month] = date.split('-').map(Number) as [number, number]
  return `${year} ${Math.floor((month - 1) / timeframe.amount)}`
}

function* sessionsOf(
  hours: MarketHours,
  { from, to, direction }: { from: number; to: number; direction: 'asc' | 'desc' },
): Generator<Session> {
  const [earliest, latest] = [hours.dateAt(from), hours.dateAt(to)]
  const [first, step] = direction === 'asc' ? [earliest, 1] : [latest, -1]
  for (let date = first; date >= earliest && date <= latest; date = addDays(date, step)) {
    const session = hours.sessionOn(date)
    if (session && session.opensAt <= to && session.closesAt > from) yield session
  }
}

/** Spans from midnight UTC, which begin in session and period. */
function* spansWithin(
  { opensAt, closesAt }: Session,
  length: number,
  { from, to, direction }: { from: number; to: number; direction: 'asc' | 'desc' },
): Generator<Span> {
  const earliest = Math.ceil(Math.max(from, opensAt) / length) * length
  const latest = Math.floor(Math.min(to, closesAt - 1) / length) * length
  const [first, step] = direction === 'asc' ? [earliest, length] : [latest, -length]
  for (let startsAt = first; startsAt >= earliest && startsAt <= latest; startsAt += step)
    yield { startsAt, endsAt: startsAt + length }
}

function barBetween(seed: number, symbol: string, startsAt: number, endsAt: number): Bar {
  const step = Math.max(1, (endsAt - startsAt) / LOOKS_A_BAR)
  const prices: Decimal[] = []
  for (let at = startsAt; at < endsAt; at += step) prices.push(quoteAt(seed, symbol, Math.round(at)).last)
  prices.push(quoteAt(seed, symbol, endsAt).last)
  const extreme = (sign: 1 | -1) => prices.reduce((a, b) => (sign * compare(a, b) >= 0 ? a : b))
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
