import { z } from 'zod'
import type { LastPrice } from '#domain/market-price.ts'
import { isTerminal, type OrderReport, type OrderRequest } from '#domain/order.ts'
import { isOurs } from '#domain/manual-order.ts'
import type { TradingSession } from '#domain/session.ts'
import { createBrokerHttp, type BrokerHttp, type BrokerHttpOptions } from '../http.ts'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  type BarQuery,
  type Bars,
  type BookedSplit,
  type Broker,
  type BrokerAccount,
  type BrokerAsset,
  type BrokerClock,
  type BrokerConnectionSettings,
  type BrokerPosition,
  type FillListing,
  type ListedAsset,
  type OrderStreamHandlers,
  type Quote,
  type QuoteStreamHandlers,
  type RequestGate,
} from '../port.ts'
import { activityId, fillListing, splitListing } from './activities.ts'
import { readEvent } from './events.ts'
import { orderStreamAt, pricesAt, priceStreamAt } from './addresses.ts'
import { LISTING_BOUNDS, readAsset, readAssets } from './assets.ts'
import { account, position } from './holdings.ts'
import { judgeKeys } from './keys.ts'
import { readBars, readQuotes } from './market-data.ts'
import { orderReport, submissionBody } from './orders.ts'
import { classOfRequest, templateOfPath } from './paths.ts'
import { isSuccess, readSuccess } from './reading.ts'
import { isNotFound, requestError, submissionError } from './rejections.ts'
import { isReplacement, logicalReport } from './replacements.ts'
import { tradingSession } from './sessions.ts'
import { listenToPrices } from './price-stream.ts'
import { listenToTradeUpdates } from './stream.ts'
import {
  isForeignOrder,
  readJson,
  readWire,
  wireAccount,
  wireActivityPage,
  wireClock,
  wireEventOrder,
  wireLastTrade,
  wireOrder,
  wireOrderNames,
  wireOrderPage,
  wirePosition,
  wireSession,
  type WireOrder,
} from './wire.ts'

const DEFAULT_TIMEOUT_MS = 4_000
/** How long the stream may take to authorise or to answer a ping before it is given up, in milliseconds. */
const STREAM_PATIENCE_MS = 10_000
/** The most orders that Alpaca lists in one answer. */
const ORDERS_A_PAGE = 500
/** The most activities that Alpaca lists in one answer, and how many answers make a part of a long list. */
const ACTIVITY_PAGE_SIZE = 100
const FILL_PAGES = 10

/** The wait before a cancel is asked for again that the order's state did not allow, in milliseconds. */
const CANCEL_AGAIN_MS = 500

/** The characters that an HTTP header can carry; anything else in a key is a slip of the clipboard. */
const key = z.string().regex(/^[\x21-\x7e]+$/)
const alpacaCredentials = z.object({ keyId: key, secretKey: key })

/**
 * A connection to Alpaca's Trading API v2, or to anything that speaks it. Makes no request by itself and
 * holds no state. Throws {@link BrokerCredentialsError} when the credentials cannot be keys.
 */
export function connectAlpaca(settings: BrokerConnectionSettings): Broker {
  const credentials = alpacaCredentials.safeParse(settings.credentials)
  if (!credentials.success)
    throw new BrokerCredentialsError(
      'A key of Alpaca holds no spaces and no letters beyond ASCII: copy it again',
    )
  return judgeKeys(new AlpacaBroker(settings, credentials.data))
}

class AlpacaBroker implements Broker {
  readonly #http: BrokerHttp
  /** Prices, which Alpaca serves at an address of their own. */
  readonly #data: BrokerHttp
  /** The list of assets, which takes longer and is larger than every other answer. */
  readonly #listing: BrokerHttp
  readonly #baseUrl: URL
  readonly #credentials: z.infer<typeof alpacaCredentials>
  readonly #gate: RequestGate | undefined

  constructor(settings: BrokerConnectionSettings, credentials: z.infer<typeof alpacaCredentials>) {
    // Alpaca's own dashboard shows its address with the version part.
    this.#baseUrl = new URL(settings.baseUrl.replace(/(\/v2)?\/{0,9}$/, ''))
    this.#credentials = credentials
    this.#gate = settings.gate
    const timeoutMs = settings.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS
    const reach = (baseUrl: URL, bounds: Pick<BrokerHttpOptions, 'timeoutMs' | 'maxAnswerBytes'>) =>
      createBrokerHttp({
        baseUrl,
        headers: {
          accept: 'application/json',
          'APCA-API-KEY-ID': credentials.keyId,
          'APCA-API-SECRET-KEY': credentials.secretKey,
        },
        ...bounds,
        templateOf: templateOfPath,
        gate: settings.gate,
        classOf: (method, path) => classOfRequest(method, path, settings.requestClass ?? 'show'),
        afterRequest: settings.afterRequest,
      })
    this.#http = reach(this.#baseUrl, { timeoutMs })
    this.#data = reach(pricesAt(this.#baseUrl), { timeoutMs })
    this.#listing = reach(this.#baseUrl, LISTING_BOUNDS)
  }

  async submitOrder(request: OrderRequest, assertMayLeave?: () => void): Promise<OrderReport> {
    const answer = await this.#http.send('POST', '/v2/orders', submissionBody(request), assertMayLeave)
    if (!isSuccess(answer)) throw submissionError(answer)
    const order = readWire(wireOrder, readJson(answer.body, 'order'), 'order')
    if (order.client_order_id !== request.clientOrderId) {
      throw new BrokerOutcomeUnknown('The broker answered a submission with another order')
    }
    return orderReport(order)
  }

  async findOrder(clientOrderId: string): Promise<OrderReport | null> {
    const path = `/v2/orders:by_client_order_id?client_order_id=${encodeURIComponent(clientOrderId)}`
    const order = await this.#getOrNull(path, wireOrder, 'order')
    return order && logicalReport(order, this.#readOrder)
  }

  async getOrder(brokerOrderId: string): Promise<OrderReport | null> {
    const order = await this.#readOrder(brokerOrderId)
    return order && logicalReport(order, this.#readOrder)
  }

  async cancelOrder(brokerOrderId: string): Promise<'requested' | 'too_late' | 'not_found'> {
    const answer = await this.#http.send('DELETE', `/v2/orders/${encodeURIComponent(brokerOrderId)}`)
    if (isSuccess(answer)) return 'requested'
    if (isNotFound(answer)) return 'not_found'
    if (answer.status !== 422) throw requestError(answer, 'cancel')
    // The order cannot be cancelled as it stands, for one of several reasons: ask instead of reading the message.
    const order = await this.#readOrder(brokerOrderId)
    if (!order) return 'not_found'
    if (order.status === 'pending_cancel') return 'requested'
    if (order.status === 'replaced' && order.replaced_by) return this.cancelOrder(order.replaced_by)
    if (isTerminal(orderReport(order).status)) return 'too_late'
    throw new BrokerBusy(`The broker cannot cancel an order that is ${order.status}`, CANCEL_AGAIN_MS)
  }

  /**
   * Alpaca filters by the instant of submission only. With `after`, open orders are all listed and ended
   * ones when they were submitted since then: one that is older and ended since is in neither list, so an
   * order thought to be open and not listed as such is to be asked for by its id. Without a limit every page
   * is read.
   */
  async listOrders(query: Parameters<Broker['listOrders']>[0]): Promise<OrderReport[]> {
    const limit = query.limit ?? Infinity
    const lists =
      query.status === 'all' && query.after !== undefined
        ? [
            await this.#listOrders('open', undefined, limit),
            await this.#listOrders('all', query.after, limit),
          ]
        : [await this.#listOrders(query.status, query.status === 'open' ? undefined : query.after, limit)]
    // The later list wins; a replaced order and its successor are one.
    const reports = new Map(lists.flat().map((report) => [report.clientOrderId, report]))
    return [...reports.values()]
      .toSorted((a, b) => b.submittedAt.localeCompare(a.submittedAt))
      .slice(0, limit)
  }

  /** Pages go on after the activity last seen, so that none is left out that is booked meanwhile. */
  async listFills(after: string): Promise<FillListing> {
    const listed: unknown[] = []
    for (let pages = 0; pages < FILL_PAGES; pages++) {
      const query = new URLSearchParams({
        activity_types: 'FILL,FEE',
        direction: 'asc',
        page_size: String(ACTIVITY_PAGE_SIZE),
        // Whole seconds, and perhaps without the one that is named.
        after: `${new Date(Date.parse(after) - 1_000).toISOString().slice(0, 19)}Z`,
      })
      const last = listed.map(activityId).findLast((id) => id !== null)
      if (last) query.set('page_token', last)
      const path = `/v2/account/activities?${query.toString()}`
      const page = await this.#get(path, wireActivityPage, 'list of activities')
      listed.push(...page)
      if (page.length < ACTIVITY_PAGE_SIZE) return fillListing(listed, false)
    }
    return fillListing(listed, true)
  }

  async listSplits(symbol: string, from: string): Promise<BookedSplit[]> {
    const query = new URLSearchParams({
      activity_types: 'SPLIT',
      after: `${from}T00:00:00Z`,
      direction: 'asc',
    })
    const path = `/v2/account/activities?${query.toString()}`
    return splitListing(await this.#get(path, wireActivityPage, 'list of activities'), symbol)
  }

  async getAccount(): Promise<BrokerAccount> {
    return account(await this.#get('/v2/account', wireAccount, 'account'))
  }

  async listPositions(): Promise<BrokerPosition[]> {
    return (await this.#get('/v2/positions', z.array(wirePosition), 'list of positions')).map(position)
  }

  async getPosition(symbol: string): Promise<BrokerPosition | null> {
    const found = await this.#getOrNull(
      `/v2/positions/${encodeURIComponent(symbol)}`,
      wirePosition,
      'position',
    )
    return found && position(found)
  }

  getAsset(symbol: string): Promise<BrokerAsset | null> {
    return readAsset(this.#http, symbol)
  }

  listAssets(): Promise<ListedAsset[]> {
    return readAssets(this.#listing)
  }

  async getLastPrice(symbol: string): Promise<LastPrice | null> {
    const answer = await this.#data.send('GET', `/v2/stocks/${encodeURIComponent(symbol)}/trades/latest`)
    if (answer.status === 404 || answer.status === 400 || answer.status === 422) return null
    const { trade } = readWire(wireLastTrade, readSuccess(answer, 'last trade'), 'last trade')
    return { price: trade.p, at: trade.t ?? null }
  }

  getQuotes(symbols: readonly string[]): Promise<Quote[]> {
    return readQuotes(this.#data, symbols)
  }

  listBars(query: BarQuery): Promise<Bars> {
    return readBars(this.#data, query)
  }

  async getClock(): Promise<BrokerClock> {
    const clock = await this.#get('/v2/clock', wireClock, 'clock')
    return {
      now: clock.timestamp,
      isOpen: clock.is_open,
      nextOpen: clock.next_open,
      nextClose: clock.next_close,
    }
  }

  async listSessions(from: string, to: string): Promise<TradingSession[]> {
    const query = new URLSearchParams({ start: from, end: to })
    return (await this.#get(`/v2/calendar?${query.toString()}`, z.array(wireSession), 'calendar')).map(
      tradingSession,
    )
  }

  async streamOrders(handlers: OrderStreamHandlers, signal: AbortSignal): Promise<void> {
    const pass = await this.#gate?.enter('lookups')
    try {
      await listenToTradeUpdates(
        {
          url: orderStreamAt(this.#baseUrl),
          ...this.#credentials,
          patienceMs: STREAM_PATIENCE_MS,
          onAnswer: (status, headers) => pass?.over(status, headers),
          onReady: () => handlers.onReady(),
          onUpdate: (update) => this.#onUpdate(update, handlers, signal),
        },
        signal,
      )
    } finally {
      pass?.over(null, {})
    }
  }

  async streamQuotes(handlers: QuoteStreamHandlers, signal: AbortSignal): Promise<void> {
    const pass = await this.#gate?.enter('show')
    const options = { ...handlers, ...this.#credentials, url: priceStreamAt(this.#baseUrl), pass }
    return listenToPrices(options, signal).finally(() => pass?.over(null, {}))
  }

  /** Only the event of an order that was replaced waits for a look-up. One that cannot be read breaks nothing. */
  async #onUpdate(data: unknown, handlers: OrderStreamHandlers, signal: AbortSignal): Promise<void> {
    if (isForeignOrder(wireEventOrder.safeParse(data).data?.order)) return
    try {
      const { event, order } = readEvent(data)
      const report = isReplacement(order) ? await logicalReport(order, this.#readOrder) : orderReport(order)
      if (!signal.aborted) handlers.onReport(report, event)
    } catch (error) {
      if (!isPassing(error)) throw error
      await this.#onUnreadable(data, error.message, handlers, signal)
    }
  }

  /** An order of ours is asked for instead, which may be readable; somebody else's is left out with this one event. */
  async #onUnreadable(
    data: unknown,
    detail: string,
    handlers: OrderStreamHandlers,
    signal: AbortSignal,
  ): Promise<void> {
    const { order, event: kind = 'unreadable' } = wireEventOrder.safeParse(data).data ?? {}
    const {
      id = null,
      client_order_id: name = '',
      replaces = null,
    } = wireOrderNames.safeParse(order).data ?? {}
    // The broker gives an order that replaces another one a name of its own.
    const mayBeOurs = isOurs(name) || replaces !== null
    let report: OrderReport | null = null
    try {
      if (mayBeOurs && id !== null) report = await this.getOrder(id)
    } catch (error) {
      if (!isPassing(error)) throw error
    }
    if (signal.aborted) return
    if (report) handlers.onReport(report, { kind, execution: null })
    handlers.onUnreadable?.({ brokerOrderId: id, detail, isMissed: mayBeOurs && report === null })
  }

  readonly #readOrder = (id: string): Promise<WireOrder | null> =>
    this.#getOrNull(`/v2/orders/${encodeURIComponent(id)}`, wireOrder, 'order')

  /** Newest first. Pages overlap by a millisecond, because Alpaca's `until` may or may not include itself. */
  async #listOrders(status: string, after: string | undefined, limit: number): Promise<OrderReport[]> {
    const found = new Map<string, unknown>()
    let until: string | undefined
    while (found.size < limit) {
      const pageSize = Math.min(ORDERS_A_PAGE, limit)
      const query = new URLSearchParams({ status, limit: String(pageSize), direction: 'desc' })
      if (after !== undefined) query.set('after', after)
      if (until !== undefined) query.set('until', until)
      const page = await this.#get(`/v2/orders?${query.toString()}`, wireOrderPage, 'list of orders')
      const before = found.size
      for (const order of page) found.set(order.id, order)
      const oldest = page.at(-1)
      if (page.length < pageSize || !oldest || found.size === before) break
      until = new Date(Date.parse(oldest.submitted_at ?? oldest.created_at) + 1).toISOString()
    }
    // An order that cannot be read may be foreign; asked for by its id it says why.
    const orders = [...found.values()]
      .filter((order) => !isForeignOrder(order))
      .flatMap((order) => wireOrder.safeParse(order).data ?? [])
    // A replaced order is reported through its successor, which is younger and listed as well.
    const alive = orders.filter((order) => order.status !== 'replaced')
    const reports = await Promise.all(alive.map((order) => this.#logicalReportIfReadable(order)))
    return reports.flatMap((report) => report ?? [])
  }

  /** Null when a link of the order's chain of replacements is missing or cannot be read. */
  async #logicalReportIfReadable(order: WireOrder): Promise<OrderReport | null> {
    try {
      return await logicalReport(order, this.#readOrder)
    } catch (error) {
      if (error instanceof BrokerOutcomeUnknown) return null
      throw error
    }
  }

  async #get<T extends z.ZodType>(path: string, schema: T, what: string): Promise<z.output<T>> {
    return readWire(schema, readSuccess(await this.#http.send('GET', path), what), what)
  }

  /** Null when the broker says that there is no such thing. */
  async #getOrNull<T extends z.ZodType>(path: string, schema: T, what: string): Promise<z.output<T> | null> {
    const answer = await this.#http.send('GET', path)
    return isNotFound(answer) ? null : readWire(schema, readSuccess(answer, what), what)
  }
}

/** An answer that is missing, late or cannot be read: the next look at the orders tells what it would have. */
const isPassing = (error: unknown): error is BrokerOutcomeUnknown | BrokerBusy =>
  error instanceof BrokerOutcomeUnknown || error instanceof BrokerBusy
