import type Router from '@koa/router'
import { z } from 'zod'
import { NYSE_ZONE } from '#domain/calendar/nyse.ts'
import { addDays, instantWithOffset, isLocalDate } from '#domain/wall-time.ts'
import { BAR_SPANS_MS, type Span } from '../bars.ts'
import { findAsset, listedAssets } from '../assets.ts'
import { reject } from '../rejection.ts'
import { presentAsset } from '../wire/account.ts'
import { instantText } from '../wire/order.ts'
import { readAs } from './body.ts'
import { requireKeys, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'

/** The last trade of a symbol as the venue shows it to an account, which may be an old one when the fault script says so. */
function shownTrade(
  { market, faults }: Pick<VenueParts, 'market' | 'faults'>,
  account: string,
  symbol: string,
  at: number,
): { t: string; p: number } {
  const rule = faults.drawConduct(['old'], { account, symbol, clientOrderId: null })
  const tradedAt = rule ? at - rule.agoMs : at
  return { t: instantText(tradedAt), p: rule?.price ?? Number(market.quote(symbol, tradedAt).last) }
}

/** Throws the refusal of an account without prices, when the fault script says so. */
function requirePrices({ faults }: Pick<VenueParts, 'faults'>, account: string, symbol: string | null): void {
  if (faults.drawConduct(['forbidden'], { account, symbol, clientOrderId: null }))
    throw reject.withoutPrices()
}

/** Throws the refusal of a broker that tells nothing of assets, when the fault script says so. */
function requireLookUp({ faults }: Pick<VenueParts, 'faults'>, account: string, symbol: string | null): void {
  if (faults.drawConduct(['unsupported'], { account, symbol, clientOrderId: null }))
    throw reject.notImplemented('this venue offers no look-up of assets')
}

/** Longest calendar that one request may ask for. */
const MAX_CALENDAR_DAYS = 3_660

/** Assets, clock and calendar, in Alpaca's paths and shapes. */
export function addMarketRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const { hours, market, now } = parts
  const guards = [requireKeys(parts), underFaults(parts, 'get')] as const

  router.get('/v2/assets', ...guards, (ctx) => {
    requireLookUp(parts, ctx.state.account.keyId, null)
    const wanted = readAs(assetsQuery, ctx.query)
    const isWanted = (asset: ReturnType<typeof presentAsset>): boolean =>
      (['status', 'class', 'exchange'] as const).every(
        (field) => wanted[field] === undefined || wanted[field] === asset[field],
      )
    ctx.body = listedAssets().map(presentAsset).filter(isWanted)
  })

  router.get('/v2/assets/:symbol', ...guards, (ctx) => {
    const symbol = ctx.params['symbol']!
    requireLookUp(parts, ctx.state.account.keyId, symbol)
    const asset = findAsset(symbol)
    if (!asset) throw reject.notFound(`asset not found for ${symbol}`)
    ctx.body = presentAsset(asset)
  })

  // Part of Alpaca's market data API, which is served at an address of its own there.
  router.get('/v2/stocks/:symbol/trades/latest', ...guards, (ctx) => {
    const symbol = ctx.params['symbol']!
    const { keyId } = ctx.state.account
    requirePrices(parts, keyId, symbol)
    if (!findAsset(symbol)) throw reject.notFound(`no trade found for ${symbol}`)
    ctx.body = { symbol, trade: shownTrade(parts, keyId, symbol, now()) }
  })

  router.get('/v2/stocks/snapshots', ...guards, (ctx) => {
    const { symbols } = readAs(snapshotQuery, ctx.query)
    const { keyId } = ctx.state.account
    requirePrices(parts, keyId, symbols[0]!)
    const at = now()
    const close = hours.previousSession(at).closesAt
    const snapshots = symbols.filter(findAsset).map((symbol) => {
      const { bid, ask } = market.quote(symbol, at)
      return [
        symbol,
        {
          latestTrade: shownTrade(parts, keyId, symbol, at),
          latestQuote: { t: instantText(at), bp: Number(bid), ap: Number(ask) },
          prevDailyBar: { t: instantText(close), c: Number(market.quote(symbol, close).last) },
        },
      ]
    })
    ctx.body = Object.fromEntries(snapshots)
  })

  router.get('/v2/stocks/:symbol/bars', ...guards, (ctx) => {
    const symbol = ctx.params['symbol']!
    if (!findAsset(symbol)) throw reject.notFound(`no bars found for ${symbol}`)
    const { timeframe: span, start, end, limit, sort } = readAs(barQuery, ctx.query)
    const to = Math.min(end ?? now(), now())
    const { bars, isComplete } = market.bars(hours, { symbol, span, from: start, to, limit })
    const shown = bars.map(({ at, open, high, low, close, volume }) => ({
      t: instantText(at),
      o: Number(open),
      h: Number(high),
      l: Number(low),
      c: Number(close),
      v: volume,
    }))
    ctx.body = {
      symbol,
      bars: sort === 'desc' ? shown : shown.toReversed(),
      next_page_token: isComplete ? null : 'older',
    }
  })

  router.get('/v2/clock', ...guards, (ctx) => {
    const at = now()
    const local = (instant: number) => instantWithOffset(instantText(instant), NYSE_ZONE)
    ctx.body = {
      timestamp: local(at),
      is_open: hours.phaseAt(at) === 'regular',
      next_open: local(hours.nextSession(at).opensAt),
      next_close: local(hours.currentOrNextSession(at).closesAt),
    }
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
}

/** As Alpaca has them: every status, and shares, unless the request says otherwise. */
const assetsQuery = z
  .object({
    status: z.enum(['active', 'inactive']).optional(),
    asset_class: z.enum(['us_equity', 'us_option', 'crypto']).default('us_equity'),
    exchange: z.enum(['AMEX', 'ARCA', 'BATS', 'NYSE', 'NASDAQ', 'NYSEARCA', 'OTC']).optional(),
  })
  .transform(({ asset_class, ...rest }) => ({ class: asset_class, ...rest }))
const snapshotQuery = z.object({
  symbols: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.string()).min(1).max(100)),
})
const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be an instant')
  .transform((text) => Date.parse(text))
const barQuery = z.object({
  timeframe: z.enum(Object.keys(BAR_SPANS_MS) as [Span, ...Span[]]),
  start: instant,
  end: instant.optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
  sort: z.enum(['asc', 'desc']).default('asc'),
})
const localDate = z.string().refine(isLocalDate, 'must be a date such as 2026-01-31')
const calendarQuery = (today: string) =>
  z
    .object({ start: localDate.default(today), end: localDate.optional() })
    .transform(({ start, end }) => ({ start, end: end ?? addDays(start, 30) }))
    .refine(({ start, end }) => end <= addDays(start, MAX_CALENDAR_DAYS), 'the calendar is too long')
