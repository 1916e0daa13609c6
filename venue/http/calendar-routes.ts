import type Router from '@koa/router'
import { z } from 'zod'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { addDays, instantWithOffset, isLocalDate } from '#domain/time/wall-time.ts'
import type { MarketHours, Session } from '../market-hours.ts'
import { reject } from '../rejection.ts'
import { instantText } from '../wire/order.ts'
import { readAs } from './body.ts'
import { requireKeys, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'

const MAX_CALENDAR_DAYS = 3_660

const MARKETS: Readonly<Record<string, { mic: string; acronym: string; name: string }>> = {
  NYSE: { mic: 'XNYS', acronym: 'NYSE', name: 'New York Stock Exchange' },
  NASDAQ: { mic: 'XNAS', acronym: 'NASDAQ', name: 'NASDAQ' },
  IEX: { mic: 'IEXG', acronym: 'IEX', name: 'Investors Exchange' },
}
const marketNamed = (text: string) =>
  MARKETS[text] ?? Object.values(MARKETS).find(({ mic }) => mic === text) ?? null

export function addCalendarRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const { hours, now } = parts
  const guards = [requireKeys(parts), underFaults(parts, 'get')] as const

  router.get('/v2/clock', ...guards, (ctx) => {
    const at = now()
    ctx.body = {
      timestamp: local(at),
      is_open: hours.phaseAt(at) === 'regular',
      next_open: local(hours.nextSession(at).opensAt),
      next_close: local(hours.currentOrNextSession(at).closesAt),
    }
  })

  router.get('/v3/clock', ...guards, (ctx) => {
    const { markets, time } = readAs(clockQuery, ctx.query)
    ctx.body = { clocks: markets.map((market) => clockOf(hours, market, time ?? now())) }
  })

  router.get('/v2/calendar', ...guards, (ctx) => {
    const { start, end } = readAs(calendarQuery(hours.dateAt(now())), ctx.query)
    ctx.body = hours.calendar(start, end).map((day) => ({
      date: day.date,
      open: day.open,
      close: day.close,
      session_open: day.sessionOpen,
      session_close: day.sessionClose,
      settlement_date: addDays(day.date, 1),
    }))
  })

  router.get('/v3/calendar/:market', ...guards, (ctx) => {
    const market = marketNamed(ctx.params['market']!)
    if (!market) throw reject.notFound(`market not found: ${ctx.params['market']!}`)
    const today = hours.dateAt(now())
    const { start, end, timezone } = readAs(calendarQuery(today), ctx.query)
    const text = timezone === 'UTC' ? instantText : local
    ctx.body = {
      market: { ...market, timezone: NYSE_ZONE },
      calendar: hours.calendar(start, end).map(({ date }) => calendarDay(hours.sessionOn(date)!, text)),
    }
  })
}

const local = (instant: number): string => instantWithOffset(instantText(instant), NYSE_ZONE)

function clockOf(hours: MarketHours, market: NonNullable<ReturnType<typeof marketNamed>>, at: number) {
  const today = hours.sessionToday(at)
  const next = hours.nextSession(at)
  const { phase, until } = phaseOf(hours, at)
  return {
    market: { ...market, timezone: NYSE_ZONE },
    timestamp: local(at),
    is_market_day: today !== null,
    next_market_open: local(next.opensAt),
    next_market_close: local(hours.currentOrNextSession(at).closesAt),
    phase,
    phase_until: local(until),
  }
}

function phaseOf(hours: MarketHours, at: number): { phase: string; until: number } {
  const today = hours.sessionToday(at)
  if (!today || at >= today.afterHoursCloseAt)
    return { phase: 'closed', until: hours.nextSession(at).preMarketOpensAt }
  if (at < today.preMarketOpensAt) return { phase: 'closed', until: today.preMarketOpensAt }
  if (at < today.opensAt) return { phase: 'pre', until: today.opensAt }
  if (at < today.closesAt) return { phase: 'core', until: today.closesAt }
  return { phase: 'post', until: today.afterHoursCloseAt }
}

function calendarDay(session: Session, text: (instant: number) => string) {
  const { date, preMarketOpensAt, opensAt, closesAt, afterHoursCloseAt } = session
  return {
    date,
    ...(preMarketOpensAt < opensAt && { pre_start: text(preMarketOpensAt), pre_end: text(opensAt) }),
    core_start: text(opensAt),
    core_end: text(closesAt),
    ...(closesAt < afterHoursCloseAt && { post_start: text(closesAt), post_end: text(afterHoursCloseAt) }),
    settlement_date: addDays(date, 1),
  }
}

const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be an instant')
  .transform((text) => Date.parse(text))
const clockQuery = z.object({
  markets: z
    .string()
    .default('NYSE')
    .transform((text, context) =>
      text.split(',').map((name) => {
        const market = marketNamed(name)
        if (market) return market
        context.addIssue(`invalid market: ${name}`)
        return z.NEVER
      }),
    ),
  time: instant.optional(),
})
/** A date, or an instant's date: Alpaca's clients send either. */
const localDate = z
  .string()
  .transform((text) => (Number.isNaN(Date.parse(text)) ? text : text.split('T')[0]!))
  .refine(isLocalDate, 'must be a date such as 2026-01-31')
const calendarQuery = (today: string) =>
  z
    .object({
      start: localDate.default(today),
      end: localDate.optional(),
      timezone: z.enum(['UTC', NYSE_ZONE]).optional(),
      date_type: z.enum(['TRADING', 'SETTLEMENT']).optional(),
    })
    .transform(({ start, end, ...rest }) => ({ ...rest, start, end: end ?? addDays(start, 30) }))
    .refine(({ start, end }) => end <= addDays(start, MAX_CALENDAR_DAYS), 'the calendar is too long')
