import type { OrderReport } from '#domain/order/order.ts'
import {
  BrokerBusy,
  BrokerOutcomeUnknown,
  type OrderStreamEvent,
  type OrderStreamHandlers,
  type BarQuery,
  type Bars,
  type Quote,
} from '../port.ts'
import type { LogicalOrders } from './logical-orders.ts'
import { placedAs } from './names.ts'
import {
  isForeignOrder,
  readWire,
  wireEventOrder,
  wireOrder,
  wireOrderNames,
  wireTradeUpdate,
  type WireOrder,
  type WireTradeUpdate,
} from './wire.ts'
import type { BrokerHttp, HttpAnswer } from '../http.ts'
import { Memo, isSuccess, readSuccess } from './reads.ts'
import { z } from 'zod'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { BarTimeframe } from '#domain/signal/list-choices.ts'

/**
 * Passes an order event on. Only an order with other parts or predecessors waits for a look-up; an unreadable event
 * breaks nothing.
 */
export async function notifyOfUpdate(
  data: unknown,
  orders: LogicalOrders,
  handlers: OrderStreamHandlers,
  signal: AbortSignal,
): Promise<void> {
  if (isForeignOrder(wireEventOrder.safeParse(data).data?.order)) return
  try {
    const { event, order } = readEvent(data)
    const { report } = await orders.of(order)
    if (!signal.aborted) handlers.onReport(report, event)
  } catch (error) {
    if (!isPassing(error)) throw error
    await reportUnreadable(data, error.message, orders, handlers, signal)
  }
}

/** An order of ours is asked for instead; a foreign one is left out. */
async function reportUnreadable(
  data: unknown,
  detail: string,
  orders: LogicalOrders,
  handlers: OrderStreamHandlers,
  signal: AbortSignal,
): Promise<void> {
  const { order, event: kind = 'unreadable' } = wireEventOrder.safeParse(data).data ?? {}
  const names = wireOrderNames.safeParse(order).data ?? {}
  const { id = null, client_order_id: name = '', replaces = null, order_class: orderClass = null } = names
  const mayBeOurs = placedAs(name) !== null || replaces !== null || orderClass === 'oco'
  let report: OrderReport | null = null
  try {
    if (mayBeOurs && id !== null) report = (await orders.byId(id))?.report ?? null
  } catch (error) {
    if (!isPassing(error)) throw error
  }
  if (signal.aborted) return
  if (report) handlers.onReport(report, { kind, execution: null })
  handlers.onUnreadable?.({ brokerOrderId: id, detail, isMissed: mayBeOurs && report === null })
}

/** The next comparison has the same facts. */
const isPassing = (error: unknown): error is BrokerOutcomeUnknown | BrokerBusy =>
  error instanceof BrokerOutcomeUnknown || error instanceof BrokerBusy

/** Throws {@link BrokerOutcomeUnknown} for an unreadable event. */
function readEvent(data: unknown): { event: OrderStreamEvent; order: WireOrder } {
  const update = readWire(wireTradeUpdate, data, 'order event')
  const order = readWire(wireOrder, update.order, 'order event')
  const amendment = amendmentOf(update)
  return {
    event: { kind: update.event, execution: executionOf(update), ...(amendment && { amendment }) },
    order,
  }
}

const FILL_EVENTS: ReadonlySet<string> = new Set(['fill', 'partial_fill'])

/** Throws for a fill without its execution: positions follow from it. */
function executionOf({ event, execution_id, qty, price, timestamp }: WireTradeUpdate) {
  if (!FILL_EVENTS.has(event)) return null
  if (!execution_id || !qty || !price || !timestamp) {
    throw new BrokerOutcomeUnknown('The broker reported a fill without its execution')
  }
  return { executionId: execution_id, quantity: qty, price, at: timestamp }
}

/** Throws where the event does not name its execution. */
function amendmentOf(update: WireTradeUpdate): OrderStreamEvent['amendment'] {
  const { event, execution_id, previous_execution_id, qty, price } = update
  if (event !== 'trade_bust' && event !== 'trade_correct') return undefined
  const executionId = previous_execution_id ?? (event === 'trade_bust' ? execution_id : null)
  if (!executionId) throw new BrokerOutcomeUnknown(`The broker reported a ${event} without its execution`)
  if (event === 'trade_bust') return { executionId, corrected: null }
  if (!execution_id || !qty || !price)
    throw new BrokerOutcomeUnknown('The broker reported a correction without the corrected values')
  return { executionId, corrected: { executionId: execution_id, quantity: qty, price } }
}

/** sip: all exchanges. iex: one exchange with a wider spread. */
export type PriceFeed = 'sip' | 'iex'

/** Status for keys whose subscription lacks the feed. */
const NOT_SUBSCRIBED = 403
const ANSWERS = [400, 404, 422]

const found = new Memo<PriceFeed>()

/** The largest feed that a connection's keys may use, so that no two are mixed. */
export class DataFeed {
  readonly #http: BrokerHttp
  readonly #key: string

  constructor(http: BrokerHttp, key: string) {
    this.#http = http
    this.#key = key
  }

  async ask(path: string, query = new URLSearchParams()): Promise<{ answer: HttpAnswer; feed: PriceFeed }> {
    const askOf = (feed: PriceFeed) => {
      query.set('feed', feed)
      return this.#http.send('GET', `${path}?${query.toString()}`)
    }
    let feed = found.get(this.#key) ?? 'sip'
    let answer = await askOf(feed)
    if (feed === 'sip' && answer.status === NOT_SUBSCRIBED) {
      feed = 'iex'
      answer = await askOf(feed)
    }
    if (isSuccess(answer) || ANSWERS.includes(answer.status)) found.set(this.#key, feed)
    return { answer, feed }
  }

  async find(): Promise<PriceFeed> {
    return found.get(this.#key) ?? (await this.ask('/v2/stocks/SPY/trades/latest')).feed
  }
}

/** JSON numbers; 0 is an empty side of the order book. */
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

/** Keys without a subscription may ask one exchange. */
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
