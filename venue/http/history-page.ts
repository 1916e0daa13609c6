import { z } from 'zod'
import { isLocalDate, localToInstant } from '#domain/time/wall-time.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { findAsset } from '../assets.ts'
import type { HistoryPart, HistoryQuery } from '../bars.ts'
import { Rejection, reject } from '../rejection.ts'

const MAX_HISTORY_SYMBOLS = 100
const MAX_ITEMS = 10_000

/** Epoch milliseconds; a date means its beginning in New York. */
export const instantOrDate = z.string().transform((text, context) => {
  const at = Date.parse(isLocalDate(text) ? localToInstant(`${text}T00:00`, NYSE_ZONE) : text)
  if (Number.isNaN(at)) context.addIssue('must be an instant')
  return at
})

export const symbolList = z
  .string()
  .transform((text) => text.split(',').filter(Boolean))
  .pipe(z.array(z.string()).min(1).max(MAX_HISTORY_SYMBOLS))

/** All feeds have the same prices, in dollars. */
export const feedQuery = z.object({
  feed: z
    .enum(['iex', 'sip', 'delayed_sip', 'otc', 'boats', 'overnight'], { error: 'invalid feed' })
    .optional(),
  currency: z.literal('USD', { error: 'only prices in USD are available here' }).optional(),
})

export const historyQuery = feedQuery.extend({
  start: instantOrDate.optional(),
  end: instantOrDate.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_ITEMS).default(1_000),
  sort: z.enum(['asc', 'desc']).default('asc'),
  page_token: z.string().optional(),
})

/** Listed symbols, sorted. Throws a Rejection for a coin. */
export function listedOf(symbols: readonly string[]): string[] {
  const pair = symbols.find((symbol) => symbol.includes('/'))
  if (pair !== undefined) throw new Rejection(400, 40010001, `invalid symbol: ${pair}`)
  return [...new Set(symbols)].filter(findAsset).toSorted()
}

export function historyPage<Item, Shown>(
  symbols: readonly string[],
  { query, beginsAt, now }: { query: z.infer<typeof historyQuery>; beginsAt: number; now: number },
  read: (query: HistoryQuery) => HistoryPart<Item>,
  { at, show }: { at: (item: Item) => number; show: (item: Item, symbol: string) => Shown },
): { series: Record<string, Shown[]>; nextPageToken: string | null } {
  const place = query.page_token === undefined ? null : parsePlace(query.page_token)
  const direction = query.sort
  const series: Record<string, Shown[]> = {}
  let limit = query.limit
  for (const symbol of symbols) {
    if (place && symbol < place.symbol) continue
    if (limit === 0) return { series, nextPageToken: placeText(symbol, null) }
    const period = { from: query.start ?? beginsAt, to: Math.min(query.end ?? now, now) }
    if (place?.symbol === symbol && place.after !== null) {
      if (direction === 'asc') period.from = place.after + 1
      else period.to = Math.min(period.to, place.after - 1)
    }
    const { items, isComplete } = read({ symbol, ...period, direction, limit })
    if (items.length > 0) series[symbol] = items.map((item) => show(item, symbol))
    limit -= items.length
    if (!isComplete) return { series, nextPageToken: placeText(symbol, at(items.at(-1)!)) }
  }
  return { series, nextPageToken: null }
}

/** Page token: a symbol, and an instant or null for its beginning. */
const placeText = (symbol: string, after: number | null): string =>
  Buffer.from(`${symbol}|${after ?? ''}`).toString('base64')

function parsePlace(token: string): { symbol: string; after: number | null } {
  const [, symbol, after] = /^([A-Z.]+)\|(\d*)$/.exec(Buffer.from(token, 'base64').toString()) ?? []
  if (symbol === undefined) throw reject.invalidParameter('page_token is invalid')
  return { symbol, after: after ? Number(after) : null }
}
