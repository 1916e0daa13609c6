import type { IncomingHttpHeaders } from 'node:http'
import type { AccountPermissions } from '#domain/risk/permissions.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import type { Execution, Fee } from '#domain/order/fill.ts'
import type { OrderReport, OrderRequest } from '#domain/order/order.ts'
import type { LastPrice } from '#domain/risk/market-price.ts'
import type { HeldPosition } from '#domain/position/symbol-state.ts'
import type { TradingSession } from '#domain/time/session.ts'
import type { BarTimeframe } from '#domain/signal/list-choices.ts'

/** One instance serves one connection (one set of credentials, one account). */
export interface Broker {
  /**
   * Sends an order once, without a retry. Throws {@link BrokerRejection}, {@link BrokerBusy}, {@link
   * BrokerCredentialsError} when certainly no order was made, {@link BrokerOutcomeUnknown} when one may have
   * been, and {@link DuplicateClientOrderId} for a known client order id: look it up.
   * @param assertMayLeave called on the connection, right before the first byte; when it throws, nothing is
   * sent, and this rejects with its error
   */
  submitOrder(request: OrderRequest, assertMayLeave?: () => void): Promise<OrderReport>
  findOrder(clientOrderId: string): Promise<OrderReport | null>
  getOrder(brokerOrderId: string): Promise<OrderReport | null>
  /** 'requested' is not done: a fill may still come. 'too_late': the order had ended. */
  cancelOrder(brokerOrderId: string): Promise<'requested' | 'too_late' | 'not_found'>
  /**
   * Asks for other prices or another quantity of a working order, which stays at the broker and the same order
   * of ours, see {@link OrderReport.links}. 'requested' is not done: it may fill as it was. 'refused': it works
   * as it was. Safe to repeat.
   * @param permit asked right before each request that changes; what it returns is called on the connection,
   * right before the first byte. When either throws, nothing more is sent, and this rejects with its error
   */
  changeOrder(
    brokerOrderId: string,
    change: OrderChange,
    permit?: Permit,
  ): Promise<'requested' | 'too_late' | 'not_found' | 'refused'>
  /**
   * Newest first; `after` bounds the submission. Brokers cannot list what has changed since: a known order that
   * is not listed as open has to be asked for by its id. Unreadable ones are left out; by id they throw.
   */
  listOrders(query: {
    status: 'open' | 'closed' | 'all'
    after?: string
    limit?: number
  }): Promise<OrderReport[]>
  /**
   * Executions and fees of the account, whoever traded, from the instant `after` on (perhaps a little before),
   * oldest first, in parts. An execution keeps its id. Late bookings, such as fees, are listed by the instant of
   * booking.
   */
  listFills(after: string): Promise<FillListing>
  /** From a local date (YYYY-MM-DD) on; none where the broker lists none. */
  listSplits(symbol: string, from: string): Promise<BookedSplit[]>
  getAccount(): Promise<BrokerAccount>
  listPositions(): Promise<BrokerPosition[]>
  getPosition(symbol: string): Promise<BrokerPosition | null>
  /** Null when the broker has no such asset. Throws {@link AssetLookupUnsupported} where it cannot be asked. */
  getAsset(symbol: string): Promise<BrokerAsset | null>
  /** Readable, tradable US shares and ETFs; absent without a list. Throws {@link AssetLookupUnsupported}. */
  listAssets?(): Promise<ListedAsset[]>
  /** Null without a trade or for an unknown symbol. Throws {@link BrokerPricesUnavailable} where keys get none. */
  getLastPrice(symbol: string): Promise<LastPrice | null>
  /** In any order; a symbol that the broker does not know is absent. */
  getQuotes(symbols: readonly string[]): Promise<Quote[]>
  /** Oldest first; nothing for a symbol that the broker does not know. */
  listBars(query: BarQuery): Promise<Bars>
  getClock(): Promise<BrokerClock>
  /** Local dates, both included, in order; days without a session are absent. */
  listSessions(from: string, to: string): Promise<TradingSession[]>
  /** Until `signal` aborts. Rejects when the stream breaks: the caller reconnects. */
  streamOrders(handlers: OrderStreamHandlers, signal: AbortSignal): Promise<void>
  /** As {@link streamOrders}; absent without such a stream. Throws {@link BrokerPricesUnavailable} where refused. */
  streamQuotes?(handlers: QuoteStreamHandlers, signal: AbortSignal): Promise<void>
}

/** Throws, or returns what throws, where a request may not leave. */
export type Permit = () => Promise<() => void>

/** Absent figures stay. Of an oco the prices of both its parts. */
export type OrderChange = Partial<
  Pick<OrderRequest, 'quantity' | 'limitPrice' | 'stopPrice' | 'stopLimitPrice' | 'trail'>
>

export interface QuoteStreamHandlers {
  /** @param follow names all symbols that are wanted from now on, in place of those before */
  onReady(follow: (symbols: readonly string[]) => void): void
  onFollowing(symbols: readonly string[]): void
  onPrice(news: PriceNews): void
}

export type PriceNews = Pick<Quote, 'symbol' | 'feed'> &
  (Pick<Quote, 'last' | 'at'> | Pick<Quote, 'bid' | 'ask' | 'quotedAt'>)

export interface Quote {
  symbol: string
  bid: Decimal | null
  ask: Decimal | null
  last: Decimal | null
  at: string | null
  quotedAt: string | null
  /** Of the session before the present or last one. */
  previousClose: Decimal | null
  /** Which of the broker's feeds tells it, where it has several: their prices differ. */
  feed?: string
}

/** Bars that begin between two instants; of too many the newest. */
export interface BarQuery {
  symbol: string
  timeframe: BarTimeframe
  from: string
  to: string
  limit: number
}

export interface Bars {
  bars: Bar[]
  isComplete: boolean
}

export interface Bar {
  at: string
  open: Decimal
  high: Decimal
  low: Decimal
  close: Decimal
  volume: Decimal
}

export interface FillListing {
  fills: Execution[]
  fees: Fee[]
  unreadable?: UnreadableExecution[]
  /** Booking of the last one, where the next part begins; null for an empty list. */
  until: string | null
  hasMore: boolean
}

export interface UnreadableExecution {
  executionId: string
  detail: string
}

/** Shares that came, negative for shares that went. One split may be booked in parts. */
export interface BookedSplit {
  date: string
  quantity: Decimal
}

export interface OrderStreamHandlers {
  /** Authenticated and subscribed: nothing is missed until the stream breaks. */
  onReady(): void
  onReport(report: OrderReport, event: OrderStreamEvent): void
  /** Every few seconds, where the stream has pings: milliseconds since the broker was last heard. */
  onPulse?(silentFor: number): void
  /** An unreadable event was left out. The stream goes on. */
  onUnreadable?(event: UnreadableEvent): void
}

export interface UnreadableEvent {
  brokerOrderId: string | null
  detail: string
  /** The event may be about an order of ours, and the broker could not be asked either. */
  isMissed: boolean
}

export interface OrderStreamEvent {
  kind: string
  execution: { executionId: string; quantity: Decimal; price: Decimal; at: string } | null
  /** What a bust or a correction takes back, and its successor; the report has the quantity after it. */
  amendment?: {
    executionId: string
    corrected: { executionId: string; quantity: Decimal; price: Decimal } | null
  }
}

export interface BrokerAccount {
  brokerAccountId: string
  type: 'MARGIN' | 'CASH' | 'IRA'
  currency: string
  equity: Decimal
  cashBalance: Decimal
  /** Without what open orders hold of it. */
  buyingPower: Decimal
  /** For assets that are not bought on margin; null where the broker tells none. */
  nonMarginableBuyingPower: Decimal | null
  dayTradingBuyingPower: Decimal | null
  marketValue: Decimal
  permissions: AccountPermissions
}

export interface BrokerPosition extends HeldPosition {
  /** Shares not held by open closing orders. */
  availableQuantity: Decimal
}

export interface BrokerAsset {
  symbol: string
  name: string
  exchange: string
  assetClass: string
  status: string
  tradable: boolean
  marginable: boolean
  shortable: boolean
  easyToBorrow: boolean
  fractionable: boolean
  /** Percent of market value; null when the broker reports none. */
  maintenanceMarginRequirement: Decimal | null
  marginRequirementLong: Decimal | null
  marginRequirementShort: Decimal | null
}

export interface ListedAsset extends Pick<BrokerAsset, 'symbol' | 'exchange'> {
  name: string
}

export interface BrokerClock {
  now: string
  isOpen: boolean
  nextOpen: string
  nextClose: string
}

/** Final: nothing was placed and repeating cannot help. */
export class BrokerRejection extends Error {
  override readonly name = 'BrokerRejection'
  readonly code: DenialCode
  readonly brokerMessage: string
  readonly httpStatus: number
  /** Of OPPOSITE_ORDER: the broker's id of the opposite order; null where it names none. */
  readonly opposing: string | null
  /** Of INSUFFICIENT_FUNDS: dollars; null where the broker tells none. */
  readonly funds: { needed: Decimal; available: Decimal } | null
  /** A position of the other side is the reason; false where the broker does not say so. */
  readonly isAgainstPosition: boolean
  constructor(
    code: DenialCode,
    brokerMessage: string,
    httpStatus: number,
    {
      opposing = null,
      funds = null,
      isAgainstPosition = false,
    }: Partial<Pick<BrokerRejection, 'opposing' | 'funds' | 'isAgainstPosition'>> = {},
  ) {
    super(`The broker rejected: ${brokerMessage}`)
    this.code = code
    this.brokerMessage = brokerMessage
    this.httpStatus = httpStatus
    this.opposing = opposing
    this.funds = funds
    this.isAgainstPosition = isAgainstPosition
  }
}

/** The broker has an order with this client order id already, perhaps ours: look it up before judging. */
export class DuplicateClientOrderId extends Error {
  override readonly name = 'DuplicateClientOrderId'
}

/** Nothing was placed; ask again after the wait. */
export class BrokerBusy extends Error {
  override readonly name = 'BrokerBusy'
  readonly retryAfterMs: number
  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** The rest of the broker's limit is kept for more important requests: nothing left this process. */
export class BrokerBudgetSpent extends BrokerBusy {}

/** The keys are wrong, revoked or lack permission: nothing was placed. */
export class BrokerCredentialsError extends Error {
  override readonly name = 'BrokerCredentialsError'
  readonly refused: RefusedRequest | null
  constructor(message: string, refused: RefusedRequest | null = null) {
    super(message)
    this.refused = refused
  }
}

export interface RefusedRequest {
  what: string
  httpStatus: number
  words: string | null
}

/** The broker accepts the keys, and their data plan lacks prices. */
export class BrokerPricesUnavailable extends Error {
  override readonly name = 'BrokerPricesUnavailable'
}

/** A timeout, a reset, a 5xx: it may have taken effect; only a look-up by client order id shows it. */
export class BrokerOutcomeUnknown extends Error {
  override readonly name = 'BrokerOutcomeUnknown'
}

/** The broker has no such service, for any symbol. */
export class AssetLookupUnsupported extends Error {
  override readonly name = 'AssetLookupUnsupported'
}

/** The first go first. orders: with what decides them. lookups: of ours, and the stream. show: what people look at. */
export const REQUEST_CLASSES = ['orders', 'lookups', 'comparison', 'show'] as const
export type RequestClass = (typeof REQUEST_CLASSES)[number]

export interface RequestGate {
  /** Throws, or rejects with, a {@link BrokerBusy} when the request may not leave now. */
  enter(kind: RequestClass): RequestPass | Promise<RequestPass>
}

export interface RequestPass {
  /** On the answer; the status is null without one. Calls after the first do nothing. */
  over(status: number | null, headers: IncomingHttpHeaders): void
}

export interface BrokerConnectionSettings {
  brokerType: string
  /** Of the Trading API, without the version part, such as `http://127.0.0.1:3100`. */
  baseUrl: string
  credentials: Record<string, string>
  requestTimeoutMs?: number
  /** Absent for keys that are not stored yet. */
  connectionId?: string
  /** Of requests that do not place, cancel or look up an order; `show` unless given. */
  requestClass?: RequestClass
  /** None where the process makes a few requests and ends. */
  gate?: RequestGate
  /** The HTTP status or `none`, seconds, and the headers of the answer. */
  afterRequest?: (outcome: string, seconds: number, headers: IncomingHttpHeaders) => void
}
