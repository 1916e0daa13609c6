import type Router from '@koa/router'
import { z } from 'zod'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { MINUTE_MS } from '#domain/time/instants.ts'
import { localToInstant } from '#domain/time/wall-time.ts'
import { ticksOf, type Bar } from '../bars.ts'
import { findAsset } from '../assets.ts'
import { reject } from '../rejection.ts'
import { parseTimeframe } from '../timeframe.ts'
import { presentBar, presentQuote, presentTrade } from '../wire/market-data.ts'
import { instantText } from '../wire/order.ts'
import { readAs } from './body.ts'
import { requireKeys, type VenueContext, type VenueParts, type VenueState } from './context.ts'
import { feedQuery, historyPage, historyQuery, listedOf, symbolList } from './history-page.ts'
import { underFaults } from './scripted-answers.ts'

const MINUTE = { unit: 'clock', length: MINUTE_MS } as const
const DAY = { unit: 'day', amount: 1 } as const

const latestQuery = feedQuery.extend({ symbols: symbolList })
const seriesQuery = historyQuery.extend({ symbols: symbolList })
/** Adjustments are alike: no corporate actions exist here. */
const ADJUSTMENTS = ['raw', 'split', 'dividend', 'spin-off', 'all']
const barFields = {
  timeframe: z.string().transform((text, context) => {
    const timeframe = parseTimeframe(text)
    if (timeframe) return timeframe
    context.addIssue(`invalid timeframe: ${text}`)
    return z.NEVER
  }),
  adjustment: z
    .string()
    .refine(
      (text) => text.split(',').every((part) => ADJUSTMENTS.includes(part)),
      'must be raw, split, dividend or all',
    )
    .optional(),
}

export function addMarketDataRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const { hours, market, now } = parts
  const guards = [requireKeys(parts), underFaults(parts, 'get')] as const

  /** Several symbols under `/<path>`, one under `/:symbol/<path>`. */
  const addLatest = (
    path: string,
    { one, several }: { one: string; several: string },
    read: (account: string, symbol: string) => object,
  ): void => {
    router.get(`/v2/stocks/${path}`, ...guards, (ctx) => {
      const { symbols } = readAs(latestQuery, ctx.query)
      requirePrices(parts, ctx, symbols[0]!)
      ctx.body = {
        [several]: Object.fromEntries(
          listedOf(symbols).map((symbol) => [symbol, read(ctx.state.account.keyId, symbol)]),
        ),
      }
    })
    router.get(`/v2/stocks/:symbol/${path}`, ...guards, (ctx) => {
      const symbol = ctx.params['symbol']!
      readAs(feedQuery, ctx.query)
      requirePrices(parts, ctx, symbol)
      if (!findAsset(symbol)) throw reject.notFound(`no ${one} found for ${symbol}`)
      ctx.body = { symbol, [one]: read(ctx.state.account.keyId, symbol) }
    })
  }
  addLatest('trades/latest', { one: 'trade', several: 'trades' }, (account, symbol) =>
    shownTrade(parts, account, symbol, now()),
  )
  addLatest('quotes/latest', { one: 'quote', several: 'quotes' }, (_, symbol) =>
    presentQuote(market.quote(symbol, now()), now()),
  )
  addLatest('bars/latest', { one: 'bar', several: 'bars' }, (_, symbol) => presentBar(lastBar(parts, symbol)))

  router.get('/v2/stocks/snapshots', ...guards, (ctx) => {
    const { symbols } = readAs(latestQuery, ctx.query)
    requirePrices(parts, ctx, symbols[0]!)
    ctx.body = Object.fromEntries(
      listedOf(symbols).map((symbol) => [symbol, snapshotOf(parts, ctx.state.account.keyId, symbol)]),
    )
  })

  router.get('/v2/stocks/:symbol/snapshot', ...guards, (ctx) => {
    const symbol = ctx.params['symbol']!
    requirePrices(parts, ctx, symbol)
    if (!findAsset(symbol)) throw reject.notFound(`no snapshot found for ${symbol}`)
    ctx.body = { symbol, ...snapshotOf(parts, ctx.state.account.keyId, symbol) }
  })

  const addHistory = <Query extends z.infer<typeof historyQuery>>(
    kind: 'bars' | 'trades' | 'quotes',
    schemas: { several: z.ZodType<Query & { symbols: string[] }>; one: z.ZodType<Query> },
    page: (symbols: readonly string[], query: Query) => ReturnType<typeof historyPage>,
  ): void => {
    router.get(`/v2/stocks/${kind}`, ...guards, (ctx) => {
      const query = readAs(schemas.several, ctx.query)
      const { series, nextPageToken } = page(listedOf(query.symbols), query)
      ctx.body = { [kind]: series, next_page_token: nextPageToken }
    })
    router.get(`/v2/stocks/:symbol/${kind}`, ...guards, (ctx) => {
      const symbol = ctx.params['symbol']!
      if (!findAsset(symbol)) throw reject.notFound(`no ${kind} found for ${symbol}`)
      const { series, nextPageToken } = page([symbol], readAs(schemas.one, ctx.query))
      ctx.body = { symbol, [kind]: series[symbol] ?? [], next_page_token: nextPageToken }
    })
  }
  const beginsAt = () => Date.parse(localToInstant(`${hours.dateAt(now())}T00:00`, NYSE_ZONE))
  addHistory(
    'bars',
    { several: seriesQuery.extend(barFields), one: historyQuery.extend(barFields) },
    (symbols, query) =>
      historyPage(
        symbols,
        { query, beginsAt: beginsAt(), now: now() },
        (part) => market.bars(hours, { ...part, timeframe: query.timeframe }),
        { at: (bar) => bar.at, show: presentBar },
      ),
  )
  for (const [kind, show] of [
    ['trades', (at: number, symbol: string) => presentTrade(Number(market.quote(symbol, at).last), at)],
    ['quotes', (at: number, symbol: string) => presentQuote(market.quote(symbol, at), at)],
  ] as const)
    addHistory(kind, { several: seriesQuery, one: historyQuery }, (symbols, query) =>
      historyPage<number, object>(
        symbols,
        { query, beginsAt: beginsAt(), now: now() },
        (part) => ticksOf(hours, part),
        { at: (at) => at, show },
      ),
    )
}

function shownTrade(
  { market, faults }: Pick<VenueParts, 'market' | 'faults'>,
  account: string,
  symbol: string,
  at: number,
) {
  const rule = faults.drawConduct(['old'], { account, symbol, clientOrderId: null })
  const tradedAt = rule ? at - rule.agoMs : at
  return presentTrade(rule?.price ?? Number(market.quote(symbol, tradedAt).last), tradedAt)
}

/** Throws when the fault script withholds prices. */
function requirePrices({ faults }: Pick<VenueParts, 'faults'>, ctx: VenueContext, symbol: string): void {
  const { keyId } = ctx.state.account
  if (faults.drawConduct(['forbidden'], { account: keyId, symbol, clientOrderId: null }))
    throw reject.withoutPrices()
}

function lastBar({ market, hours, now }: VenueParts, symbol: string): Bar {
  const to = Math.floor(now() / MINUTE_MS) * MINUTE_MS - 1
  return market.bars(hours, { symbol, timeframe: MINUTE, from: 0, to, limit: 1, direction: 'desc' }).items[0]!
}

function snapshotOf(parts: VenueParts, account: string, symbol: string) {
  const { market, hours, now } = parts
  const at = now()
  const close = hours.previousSession(at).closesAt
  const days = { symbol, timeframe: DAY, from: 0, limit: 1, direction: 'desc' } as const
  const [today] = market.bars(hours, { ...days, to: at }).items
  const [before] = market.bars(hours, { ...days, to: close }).items
  return {
    latestTrade: shownTrade(parts, account, symbol, at),
    latestQuote: presentQuote(market.quote(symbol, at), at),
    minuteBar: presentBar(lastBar(parts, symbol)),
    dailyBar: presentBar(today!),
    prevDailyBar: {
      ...presentBar(before!),
      t: instantText(close),
      c: Number(market.quote(symbol, close).last),
    },
  }
}
