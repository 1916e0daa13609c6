import type Router from '@koa/router'
import { z } from 'zod'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { round } from '#domain/money/decimal.ts'
import { DAY_MS, SECOND_MS } from '#domain/time/instants.ts'
import { addDays, addMonths, isLocalDate, localToInstant } from '#domain/time/wall-time.ts'
import type { NotedEquity } from '../ledger/equities.ts'
import type { MarketHours } from '../market-hours.ts'
import { HISTORY_FRAMES_MS, portfolioHistory, type HistoryFrame } from '../portfolio-history.ts'
import { reject } from '../rejection.ts'
import { readAs } from './body.ts'
import { instantOrDate } from './history-page.ts'
import { requireKeys, type VenueContext, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'

/** Days; the first three are Alpaca's bounds. */
const MAX_FRAME_DAYS: Readonly<Record<HistoryFrame, number>> = {
  '1Min': 7,
  '5Min': 30,
  '15Min': 30,
  '1H': 366,
  '1D': 3_660,
}
const MAX_WINDOWS = 10_080

const historyQuery = z.object({
  period: z
    .string()
    .regex(/^[1-9]\d?[DWMA]$/, 'must be a number and D, W, M or A, such as 1M')
    .optional(),
  timeframe: z.enum(Object.keys(HISTORY_FRAMES_MS) as [HistoryFrame, ...HistoryFrame[]]).optional(),
  intraday_reporting: z.enum(['market_hours', 'extended_hours', 'continuous']).optional(),
  pnl_reset: z.enum(['per_day', 'no_reset']).default('per_day'),
  start: instantOrDate.optional(),
  end: instantOrDate.optional(),
  date_end: z.string().refine(isLocalDate, 'must be a date such as 2026-01-31').optional(),
  extended_hours: z
    .string()
    .transform((text) => text.toLowerCase() === 'true')
    .optional(),
  cashflow_types: z.string().max(200).optional(),
})

export function addPortfolioRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const keys = requireKeys(parts)

  router.get('/v2/account/portfolio/history', keys, underFaults(parts, 'get'), (ctx) => {
    const query = readAs(historyQuery, ctx.query)
    const { from, to } = periodOf(query, parts)
    const days = (to - from) / DAY_MS
    const frame = query.timeframe ?? (days < 7 ? '1Min' : days < 30 ? '15Min' : '1D')
    // The first and last day are partial, and a month may have a day more.
    if (days > MAX_FRAME_DAYS[frame] + 2)
      throw reject.invalidParameter(`timeframe ${frame} is for at most ${MAX_FRAME_DAYS[frame]} days`)
    const history = portfolioHistory(
      parts.hours,
      notedFrom(parts, ctx, from),
      {
        frame,
        reporting: query.intraday_reporting ?? (query.extended_hours ? 'extended_hours' : 'market_hours'),
        resetsDaily: frame !== '1D' && query.pnl_reset === 'per_day',
        from: Math.max(from, startOfDate(parts.hours.dateAt(ctx.state.account.createdAt))),
        to,
      },
      MAX_WINDOWS,
    )
    if (!history) throw reject.invalidParameter('the history has too many points: ask for a longer timeframe')
    const { base, baseDate, points } = history
    ctx.body = {
      timestamp: points.map(({ at }) => Math.floor(at / SECOND_MS)),
      equity: points.map(({ equity }) => Number(equity)),
      profit_loss: points.map(({ profit }) => Number(profit)),
      profit_loss_pct: points.map(({ profitRatio }) => (profitRatio === null ? null : Number(profitRatio))),
      base_value: Number(base),
      base_value_asof: baseDate,
      timeframe: frame,
      cashflow: {},
    }
  })
}

function notedFrom({ exchange, now }: VenueParts, ctx: VenueContext, from: number): NotedEquity[] {
  const { account } = ctx.state
  const noted = exchange.equities.since(account.id, from - MAX_CLOSED_MS)
  const atFirst = { at: account.createdAt, equity: account.openingCash }
  const atLast = { at: now(), equity: round(exchange.balances(account).equity, 2) }
  return [...(noted[0] && noted[0].at <= from - MAX_CLOSED_MS ? [] : [atFirst]), ...noted, atLast]
}

/** Milliseconds that reach the close before the period. */
const MAX_CLOSED_MS = 10 * DAY_MS

/** Period from at most two of start, end and length; epoch milliseconds. */
function periodOf(
  query: z.infer<typeof historyQuery>,
  { hours, now }: VenueParts,
): { from: number; to: number } {
  const { start, period, date_end: lastDate } = query
  const end = query.end ?? (lastDate === undefined ? undefined : startOfDate(addDays(lastDate, 1)))
  if (start !== undefined && end !== undefined && period !== undefined)
    throw reject.invalidParameter('only two of start, end and period can be given')
  const named = start !== undefined && period !== undefined ? shift(hours, start, period, 1) : end
  const to = Math.min(now(), named ?? now())
  const from = start ?? shift(hours, to, period ?? '1M', -1)
  if (from > to) throw reject.invalidParameter('start must be before end')
  return { from, to }
}

/** Days are sessions, the present one included. */
function shift(hours: MarketHours, at: number, period: string, sign: 1 | -1): number {
  const count = Number(period.slice(0, -1))
  const unit = period.at(-1)
  if (unit === 'D') {
    let session = hours.sessionToday(at) ?? (sign === 1 ? hours.nextSession(at) : hours.previousSession(at))
    for (let passed = 1; passed < count; passed += 1)
      session = sign === 1 ? hours.nextSession(session.opensAt) : hours.previousSession(session.opensAt - 1)
    return sign === 1 ? session.afterHoursCloseAt : session.preMarketOpensAt
  }
  const date = hours.dateAt(at)
  if (unit === 'W') return startOfDate(addDays(date, sign * 7 * count))
  return startOfDate(addMonths(date, sign * count * (unit === 'A' ? 12 : 1)))
}

const startOfDate = (date: string): number => Date.parse(localToInstant(`${date}T00:00`, NYSE_ZONE))
