import { z } from 'zod'
import { decimal, type Decimal } from '#domain/decimal.ts'
import type { BrokerHttp } from '../http.ts'
import type { BarQuery, Bars, Quote } from '../port.ts'
import type { BarTimeframe } from '#domain/lists.ts'
import { NOT_SUBSCRIBED, type DataFeed } from './feed.ts'
import { isSuccess, readSuccess } from './reads.ts'
import { readWire } from './wire.ts'

/** JSON numbers; 0 stands for an empty side of the book. */
export const price = z.number().transform((value): Decimal | null => (value > 0 ? decimal(value) : null))
export const instant = z.string().transform((text) => new Date(text).toISOString())

const wireSnapshot = z.object({
  latestTrade: z.object({ t: instant, p: price }).nullish(),
  latestQuote: z.object({ t: instant.nullish(), bp: price, ap: price }).nullish(),
  prevDailyBar: z.object({ c: price }).nullish(),
})
const wireSnapshots = z.record(z.string(), wireSnapshot.nullable())

const wireBar = z.object({
  t: instant,
  o: z.number(),
  h: z.number(),
  l: z.number(),
  c: z.number(),
  v: z.number(),
})
const wireBars = z.object({ bars: z.array(wireBar).nullish(), next_page_token: z.string().nullish() })

/** A subscription without the consolidated tape may ask one exchange for its recent bars. */
const WITHOUT_SUBSCRIPTION = 'iex'

const TIMEFRAMES: Record<BarTimeframe, string> = {
  '1m': '1Min',
  '5m': '5Min',
  '15m': '15Min',
  '1h': '1Hour',
  '1d': '1Day',
}

export async function readQuotes(data: DataFeed, symbols: readonly string[]): Promise<Quote[]> {
  const query = new URLSearchParams({ symbols: symbols.join(',') })
  const { answer, feed } = await data.ask('/v2/stocks/snapshots', query)
  const snapshots = readWire(wireSnapshots, readSuccess(answer, 'prices'), 'prices')
  return Object.entries(snapshots).flatMap(([symbol, snapshot]) =>
    snapshot === null
      ? []
      : [
          {
            symbol,
            bid: snapshot.latestQuote?.bp ?? null,
            ask: snapshot.latestQuote?.ap ?? null,
            last: snapshot.latestTrade?.p ?? null,
            at: snapshot.latestTrade?.t ?? null,
            quotedAt: snapshot.latestQuote?.t ?? null,
            previousClose: snapshot.prevDailyBar?.c ?? null,
            feed,
          },
        ],
  )
}

/** Newest first, so that the oldest bars are cut off. */
export async function readBars(
  http: BrokerHttp,
  { symbol, timeframe, from, to, limit }: BarQuery,
): Promise<Bars> {
  const ask = (feed?: string) => {
    const query = new URLSearchParams({
      timeframe: TIMEFRAMES[timeframe],
      start: from,
      end: to,
      limit: String(limit),
      sort: 'desc',
      adjustment: 'split',
      ...(feed && { feed }),
    })
    return http.send('GET', `/v2/stocks/${encodeURIComponent(symbol)}/bars?${query.toString()}`)
  }
  let answer = await ask()
  if (answer.status === NOT_SUBSCRIBED) answer = await ask(WITHOUT_SUBSCRIPTION)
  // Symbols that Alpaca does not trade have no bars.
  if (!isSuccess(answer) && [400, 404, 422].includes(answer.status)) return { bars: [], isComplete: true }
  const { bars, next_page_token } = readWire(wireBars, readSuccess(answer, 'bars'), 'bars')
  return {
    bars: (bars ?? [])
      .map(({ t, o, h, l, c, v }) => ({
        at: t,
        open: decimal(o),
        high: decimal(h),
        low: decimal(l),
        close: decimal(c),
        volume: decimal(v),
      }))
      .toReversed(),
    isComplete: next_page_token == null,
  }
}
