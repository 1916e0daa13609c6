import {
  type RequestClass,
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
import { type PriceFeed, notifyOfUpdate, DataFeed, readBars, readQuotes } from './feed.ts'
import { localToInstant } from '#domain/time/wall-time.ts'
import type { TradingSession } from '#domain/time/session.ts'
import {
  type WireSession,
  readJson,
  readWire,
  wireAccount,
  wireActivityPage,
  wireClock,
  wireLastTrade,
  wireOrder,
  wirePosition,
  wireSession,
} from './wire.ts'
import { ALPACA_ZONE } from '#domain/account/broker-types.ts'
import { z } from 'zod'
import type { LastPrice } from '#domain/risk/market-price.ts'
import type { OrderReport, OrderRequest } from '#domain/order/order.ts'
import { createBrokerHttp, type BrokerHttp, type BrokerHttpOptions } from '../http.ts'
import { activityId, fillListing, splitListing } from './activities.ts'
import { cancelOrder, changeOrder } from './changes.ts'
import {
  LISTING_BOUNDS,
  readAsset,
  readAssets,
  account,
  position,
  get,
  getOrNull,
  isSuccess,
  readSuccess,
} from './reads.ts'
import { judgeKeys } from './keys.ts'
import { LogicalOrders } from './logical-orders.ts'
import { orderRequests, type OrderRequests } from './order-requests.ts'
import { submissionBody, submissionError } from './orders.ts'
import { listenToPrices } from './price-stream.ts'
import { listenToTradeUpdates } from './stream.ts'

const templateOfPath = (path: string): string =>
  path
    .split('?', 1)[0]!
    .replace(/^\/v2\/orders\/[^/]+/, '/v2/orders/{id}')
    .replace(/^\/v2\/(positions|assets|stocks)\/(?!snapshots$)[^/]+/, '/v2/$1/{symbol}')

/** A look-up of an order does not queue behind other requests. */
function classOfRequest(method: string, path: string, ofCaller: RequestClass): RequestClass {
  if (method !== 'GET') return 'orders'
  const isLookup = /^\/v2\/orders[:/]/.test(path)
  return isLookup && ofCaller !== 'orders' ? 'lookups' : ofCaller
}

/** Other brokers with Alpaca's API serve prices at their own address. */
const PRICES = 'https://data.alpaca.markets'
const PRICE_STREAM = 'https://stream.data.alpaca.markets'

const isAlpacaItself = ({ hostname }: URL): boolean => hostname.endsWith('.alpaca.markets')
const webSocketAt = ({ href }: URL, path: string): URL =>
  new URL(`${href.replace(/^http/, 'ws').replace(/\/{1,9}$/, '')}${path}`)

const pricesAt = (trading: URL): URL => (isAlpacaItself(trading) ? new URL(PRICES) : trading)

const priceStreamAt = (trading: URL, feed: PriceFeed): URL =>
  webSocketAt(isAlpacaItself(trading) ? new URL(PRICE_STREAM) : trading, `/v2/${feed}`)

const orderStreamAt = (trading: URL): URL => webSocketAt(trading, '/stream')

const tradingSession = ({ date, open, close }: WireSession): TradingSession => ({
  date,
  opensAt: localToInstant(`${date}T${open}`, ALPACA_ZONE),
  closesAt: localToInstant(`${date}T${close}`, ALPACA_ZONE),
})

const DEFAULT_TIMEOUT_MS = 4_000
const STREAM_PATIENCE_MS = 10_000
const ACTIVITY_PAGE_SIZE = 100
const FILL_PAGES = 10

const key = z.string().regex(/^[\x21-\x7e]+$/)
const alpacaCredentials = z.object({ keyId: key, secretKey: key })

/** Makes no request. Throws {@link BrokerCredentialsError} when the credentials cannot be keys. */
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
  readonly #data: BrokerHttp
  readonly #feed: DataFeed
  readonly #listing: BrokerHttp
  readonly #baseUrl: URL
  readonly #credentials: z.infer<typeof alpacaCredentials>
  readonly #gate: RequestGate | undefined
  readonly #requests: OrderRequests
  readonly #orders: LogicalOrders

  constructor(settings: BrokerConnectionSettings, credentials: z.infer<typeof alpacaCredentials>) {
    // Alpaca's dashboard shows the version part.
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
    this.#feed = new DataFeed(this.#data, `${this.#baseUrl.href} ${credentials.keyId}`)
    this.#listing = reach(this.#baseUrl, LISTING_BOUNDS)
    this.#requests = orderRequests(this.#http)
    this.#orders = new LogicalOrders(this.#requests, (id) => this.cancelOrder(id))
  }

  async submitOrder(request: OrderRequest, assertMayLeave?: () => void): Promise<OrderReport> {
    const answer = await this.#http.send('POST', '/v2/orders', submissionBody(request), assertMayLeave)
    if (!isSuccess(answer)) throw submissionError(answer)
    const order = readWire(wireOrder, readJson(answer.body, 'order'), 'order')
    if (order.client_order_id !== request.clientOrderId) {
      throw new BrokerOutcomeUnknown('The broker answered a submission with another order')
    }
    return this.#orders.asAccepted(order)
  }

  async findOrder(clientOrderId: string): Promise<OrderReport | null> {
    return (await this.#orders.byName(clientOrderId))?.report ?? null
  }

  async getOrder(brokerOrderId: string): Promise<OrderReport | null> {
    return (await this.#orders.byId(brokerOrderId))?.report ?? null
  }

  cancelOrder(brokerOrderId: string): ReturnType<Broker['cancelOrder']> {
    return cancelOrder(this.#http, this.#orders, brokerOrderId)
  }

  changeOrder(...asked: Parameters<Broker['changeOrder']>): ReturnType<Broker['changeOrder']> {
    return changeOrder(this.#http, this.#orders, ...asked)
  }

  /**
   * Alpaca filters by submission only: with `after`, an older order that ended since is in neither list, and has to be
   * asked for by its id.
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
    const reports = new Map(lists.flat().map((report) => [report.clientOrderId, report]))
    return [...reports.values()]
      .toSorted((a, b) => b.submittedAt.localeCompare(a.submittedAt))
      .slice(0, limit)
  }

  /** Pages continue after the last activity. */
  async listFills(after: string): Promise<FillListing> {
    const listed: unknown[] = []
    for (let pages = 0; pages < FILL_PAGES; pages++) {
      const query = new URLSearchParams({
        activity_types: 'FILL,FEE',
        direction: 'asc',
        page_size: String(ACTIVITY_PAGE_SIZE),
        // Alpaca takes whole seconds, and may exclude the given one.
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
    const found = await getOrNull(
      this.#http,
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
    const { answer } = await this.#feed.ask(`/v2/stocks/${encodeURIComponent(symbol)}/trades/latest`)
    if (answer.status === 404 || answer.status === 400 || answer.status === 422) return null
    const { trade } = readWire(wireLastTrade, readSuccess(answer, 'last trade'), 'last trade')
    return { price: trade.p, at: trade.t ?? null }
  }

  getQuotes(symbols: readonly string[]): Promise<Quote[]> {
    return readQuotes(this.#feed, symbols)
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
          onPulse: (silentFor) => handlers.onPulse?.(silentFor),
          onUpdate: (update) => notifyOfUpdate(update, this.#orders, handlers, signal),
        },
        signal,
      )
    } finally {
      pass?.over(null, {})
    }
  }

  async streamQuotes(handlers: QuoteStreamHandlers, signal: AbortSignal): Promise<void> {
    const feed = await this.#feed.find()
    const pass = await this.#gate?.enter('show')
    const url = priceStreamAt(this.#baseUrl, feed)
    const options = { ...handlers, ...this.#credentials, feed, url, pass }
    return listenToPrices(options, signal).finally(() => pass?.over(null, {}))
  }

  async #listOrders(status: string, after: string | undefined, limit: number): Promise<OrderReport[]> {
    return this.#orders.ofList(await this.#requests.list({ status, after, limit }))
  }

  #get<T extends z.ZodType>(path: string, schema: T, what: string): Promise<z.output<T>> {
    return get(this.#http, path, schema, what)
  }
}
