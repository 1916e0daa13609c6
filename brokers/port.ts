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
   * Sends an order once. Throws {@link BrokerRejection}, {@link BrokerBusy}, {@link BrokerCredentialsError} when
   * certainly no order was made, {@link BrokerOutcomeUnknown} when one may have been, and {@link
   * DuplicateClientOrderId} for a known client order id.
   * @param assertMayLeave called right before the first byte; when it throws, nothing is sent, and this rejects with
   * its error
   */
  submitOrder(request: OrderRequest, assertMayLeave?: () => void): Promise<OrderReport>
  findOrder(clientOrderId: string): Promise<OrderReport | null>
  getOrder(brokerOrderId: string): Promise<OrderReport | null>
  /** requested: a fill may still come. too_late: the order had ended. */
  cancelOrder(brokerOrderId: string): Promise<'requested' | 'too_late' | 'not_found'>
  /**
   * Changes a working order, which stays the same order of ours ({@link OrderReport.links}). requested: it may fill as
   * it was. refused: it works as it was. Safe to repeat.
   * @param permit asked before each changing request; its result is called right before the first byte. When either
   * throws, nothing more is sent, and this rejects with its error
   */
  changeOrder(
    brokerOrderId: string,
    change: OrderChange,
    permit?: Permit,
  ): Promise<'requested' | 'too_late' | 'not_found' | 'refused'>
  /**
   * Newest first; `after` bounds the submission. A known order that is not listed as open has to be asked for by its
   * id. Unreadable orders are left out.
   */
  listOrders(query: {
    status: 'open' | 'closed' | 'all'
    after?: string
    limit?: number
  }): Promise<OrderReport[]>
  /**
   * Executions and fees of the account, all traders included, from about `after` on, oldest first. An execution keeps
   * its id. Late bookings, such as fees, are listed by their booking.
   */
  listFills(after: string): Promise<FillListing>
  listSplits(symbol: string, from: string): Promise<BookedSplit[]>
  getAccount(): Promise<BrokerAccount>
  listPositions(): Promise<BrokerPosition[]>
  getPosition(symbol: string): Promise<BrokerPosition | null>
  /** Null when the broker has no such asset. Throws {@link AssetLookupUnsupported}. */
  getAsset(symbol: string): Promise<BrokerAsset | null>
  /** Tradable US shares and ETFs. Throws {@link AssetLookupUnsupported}. */
  listAssets?(): Promise<ListedAsset[]>
  /** Null without a trade or for an unknown symbol. Throws {@link BrokerPricesUnavailable}. */
  getLastPrice(symbol: string): Promise<LastPrice | null>
  /** An unknown symbol is absent. */
  getQuotes(symbols: readonly string[]): Promise<Quote[]>
  /** Oldest first; empty for an unknown symbol. */
  listBars(query: BarQuery): Promise<Bars>
  getClock(): Promise<BrokerClock>
  /** Local dates, both included; days without a session are absent. */
  listSessions(from: string, to: string): Promise<TradingSession[]>
  /** Rejects when the stream breaks: the caller reconnects. */
  streamOrders(handlers: OrderStreamHandlers, signal: AbortSignal): Promise<void>
  /** As {@link streamOrders}. Throws {@link BrokerPricesUnavailable} where refused. */
  streamQuotes?(handlers: QuoteStreamHandlers, signal: AbortSignal): Promise<void>
}

/** Throws, or returns a function that throws, where a request may not leave. */
export type Permit = () => Promise<() => void>

/** Absent figures stay. An oco has the prices of both parts. */
export type OrderChange = Partial<
  Pick<OrderRequest, 'quantity' | 'limitPrice' | 'stopPrice' | 'stopLimitPrice' | 'trail'>
>

export interface QuoteStreamHandlers {
  /** @param follow names all symbols wanted from now on */
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
  /** Close of the session before the present or last one. */
  previousClose: Decimal | null
  /** Feeds of a broker have different prices. */
  feed?: string
}

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
  /** Booking at which the next part begins; null for an empty list. */
  until: string | null
  hasMore: boolean
}

export interface UnreadableExecution {
  executionId: string
  detail: string
}

/** Added shares, negative for removed ones. One split may be booked in parts. */
export interface BookedSplit {
  date: string
  quantity: Decimal
}

export interface OrderStreamHandlers {
  onReady(): void
  onReport(report: OrderReport, event: OrderStreamEvent): void
  /** Milliseconds since the broker was last heard, every few seconds. */
  onPulse?(silentFor: number): void
  onUnreadable?(event: UnreadableEvent): void
}

export interface UnreadableEvent {
  brokerOrderId: string | null
  detail: string
  /** It may concern an order of ours, and the broker gave no answer either. */
  isMissed: boolean
}

export interface OrderStreamEvent {
  kind: string
  execution: { executionId: string; quantity: Decimal; price: Decimal; at: string } | null
  /** Execution taken back, and its correction; the report has the quantity afterwards. */
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
  /** Buying power without the part that open orders hold. */
  buyingPower: Decimal
  /** Dollars for assets not bought on margin; null where unknown. */
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
  /** The broker's id of the opposite order; null where it names none. */
  readonly opposing: string | null
  /** Dollars, for INSUFFICIENT_FUNDS; null where the broker names none. */
  readonly funds: { needed: Decimal; available: Decimal } | null
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

/** The broker has an order with this client order id, perhaps ours. */
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

/** The rest of the limit is kept for more important requests. */
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

/** The keys' data subscription lacks prices. */
export class BrokerPricesUnavailable extends Error {
  override readonly name = 'BrokerPricesUnavailable'
}

/** The request may have taken effect; only a look-up by client order id shows it. */
export class BrokerOutcomeUnknown extends Error {
  override readonly name = 'BrokerOutcomeUnknown'
}

/** The broker has no such service. */
export class AssetLookupUnsupported extends Error {
  override readonly name = 'AssetLookupUnsupported'
}

/** Priority in this order. lookups: of our orders, and the stream. show: for people. */
export const REQUEST_CLASSES = ['orders', 'lookups', 'comparison', 'show'] as const
export type RequestClass = (typeof REQUEST_CLASSES)[number]

export interface RequestGate {
  /** Throws, or rejects with, a {@link BrokerBusy} when the request may not leave now. */
  enter(kind: RequestClass): RequestPass | Promise<RequestPass>
}

export interface RequestPass {
  /** Reports the answer; the status is null without one. Later calls do nothing. */
  over(status: number | null, headers: IncomingHttpHeaders): void
}

export interface BrokerConnectionSettings {
  brokerType: string
  /** Address without the version part, such as `http://127.0.0.1:3100`. */
  baseUrl: string
  credentials: Record<string, string>
  requestTimeoutMs?: number
  /** Absent for keys that are not stored yet. */
  connectionId?: string
  /** Class of requests that do not place, cancel or look up an order; `show` unless given. */
  requestClass?: RequestClass
  gate?: RequestGate
  /** The HTTP status or `none`, seconds, and the answer's headers. */
  afterRequest?: (outcome: string, seconds: number, headers: IncomingHttpHeaders) => void
}
