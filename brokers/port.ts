import type { IncomingHttpHeaders } from 'node:http'
import type { AccountPermissions } from '#domain/account-may.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import type { Execution, Fee } from '#domain/fill.ts'
import type { OrderReport, OrderRequest } from '#domain/order.ts'
import type { LastPrice } from '#domain/market-price.ts'
import type { HeldPosition } from '#domain/position.ts'
import type { TradingSession } from '#domain/session.ts'

/** The questions and orders to a broker. One instance serves one connection (one set of credentials, one account). */
export interface Broker {
  /**
   * Sends an order once, without any retry of its own. Resolves with the broker's report of the accepted
   * order. Throws {@link BrokerRejection}, {@link BrokerBusy}, {@link BrokerCredentialsError} when no order
   * was made for certain, and {@link BrokerOutcomeUnknown} when one may have been.
   * A client order id that the broker has already seen is {@link DuplicateClientOrderId}: look it up.
   *
   * @param assertMayLeave called once the connection is there, right before the first byte is written; when it throws, nothing
   *   is sent, and this rejects with what it threw
   */
  submitOrder(request: OrderRequest, assertMayLeave?: () => void): Promise<OrderReport>
  /** The order with this client order id, dead orders included; null when the broker knows of none. */
  findOrder(clientOrderId: string): Promise<OrderReport | null>
  /** The order with the broker's own id; null when there is none. */
  getOrder(brokerOrderId: string): Promise<OrderReport | null>
  /**
   * Asks for a cancel. 'requested' is not done: a fill may still come. 'too_late': the order had ended.
   */
  cancelOrder(brokerOrderId: string): Promise<'requested' | 'too_late' | 'not_found'>
  /**
   * Asks for other prices, or another quantity, of an order that works, which stays at the broker meanwhile: it goes on as the same
   * order of ours, see {@link OrderReport.links}. 'requested' is not done: it may fill as it was. 'too_late': the order had ended.
   * 'refused': the broker does not change it so, and it works as it was. Safe to repeat: without a difference nothing is asked.
   */
  changeOrder(
    brokerOrderId: string,
    change: OrderChange,
  ): Promise<'requested' | 'too_late' | 'not_found' | 'refused'>
  /**
   * Orders by status, newest first; `after` bounds the instant of submission. Brokers cannot list what has
   * changed since: an order that is known and not listed as open is to be asked for by its id. One that cannot be
   * read is left out, so that it hides no other; asked for by its id it throws.
   */
  listOrders(query: {
    status: 'open' | 'closed' | 'all'
    after?: string
    limit?: number
  }): Promise<OrderReport[]>
  /**
   * What was executed in the account, by whomever, and the fees charged for it, from the instant `after` on and oldest
   * first; perhaps a little from before. Long lists come in parts, see {@link FillListing}. An execution has the same
   * id whenever it is listed. What is booked late, such as fees, is listed by the instant at which it was booked.
   */
  listFills(after: string): Promise<FillListing>
  /** Splits that were booked for a symbol in the account, from a local date (YYYY-MM-DD) on; none where the broker lists none. */
  listSplits(symbol: string, from: string): Promise<BookedSplit[]>
  getAccount(): Promise<BrokerAccount>
  listPositions(): Promise<BrokerPosition[]>
  /** The position in one symbol; null when flat. */
  getPosition(symbol: string): Promise<BrokerPosition | null>
  /** Null when the broker has no such asset. Throws {@link AssetLookupUnsupported} where it cannot be asked. */
  getAsset(symbol: string): Promise<BrokerAsset | null>
  /**
   * The US shares and ETFs that can be traded, in any order; absent where the broker lists none. Those that cannot be read are
   * left out. Throws {@link AssetLookupUnsupported} where it turns out that it cannot be asked.
   */
  listAssets?(): Promise<ListedAsset[]>
  /**
   * The last trade; null when there was none or the broker has no such symbol. Whether it is to be believed is judged by
   * `domain/market-price.ts`. Throws {@link BrokerPricesUnavailable} where the data plan of the keys has no prices.
   */
  getLastPrice(symbol: string): Promise<LastPrice | null>
  /** Prices of these symbols, asked for at once and in any order; a symbol that the broker does not know is absent. */
  getQuotes(symbols: readonly string[]): Promise<Quote[]>
  /** The bars of a period, oldest first; nothing for a symbol that the broker does not know. */
  listBars(query: BarQuery): Promise<Bars>
  getClock(): Promise<BrokerClock>
  /** Sessions from `from` to `to` (local dates, both included), in order; days without a session are absent. */
  listSessions(from: string, to: string): Promise<TradingSession[]>
  /** Order events as they happen, until `signal` aborts. Rejects when the stream breaks: the caller reconnects. */
  streamOrders(handlers: OrderStreamHandlers, signal: AbortSignal): Promise<void>
  /**
   * Prices as they change, until `signal` aborts; absent where the broker has no such stream. Rejects when the stream breaks: the
   * caller reconnects. Throws {@link BrokerPricesUnavailable} where the keys get none, or none beside another connection.
   */
  streamQuotes?(handlers: QuoteStreamHandlers, signal: AbortSignal): Promise<void>
}

/** Other figures of an order that works; those left out stay. Of an oco the prices of both its parts. */
export type OrderChange = Partial<
  Pick<OrderRequest, 'quantity' | 'limitPrice' | 'stopPrice' | 'stopLimitPrice' | 'trail'>
>

export interface QuoteStreamHandlers {
  /** @param follow names all symbols that are wanted from now on, in place of those before */
  onReady(follow: (symbols: readonly string[]) => void): void
  /** The symbols of which prices come from now on; perhaps fewer than were named. */
  onFollowing(symbols: readonly string[]): void
  onPrice(news: PriceNews): void
}

/** What has changed of the prices of a symbol. */
export type PriceNews = Pick<Quote, 'symbol'> &
  (Pick<Quote, 'last' | 'at'> | Pick<Quote, 'bid' | 'ask' | 'quotedAt'>)

/** The prices of a symbol in the market, in dollars a share; null for prices that the broker does not tell. */
export interface Quote {
  symbol: string
  bid: Decimal | null
  ask: Decimal | null
  last: Decimal | null
  /** When the last trade was; UTC instant. */
  at: string | null
  /** When bid and ask were told last; UTC instant. */
  quotedAt: string | null
  /** Of the session before the present or last one. */
  previousClose: Decimal | null
}

export const BAR_TIMEFRAMES = ['1m', '5m', '15m', '1h', '1d'] as const
export type BarTimeframe = (typeof BAR_TIMEFRAMES)[number]

/** Which bars are wanted: those that begin from one instant on and not after another. Of too many the newest. */
export interface BarQuery {
  symbol: string
  timeframe: BarTimeframe
  from: string
  to: string
  limit: number
}

export interface Bars {
  bars: Bar[]
  /** False when there are older ones in the period. */
  isComplete: boolean
}

/** The trades within a span of time, in dollars a share. */
export interface Bar {
  /** Where it begins; UTC instant. */
  at: string
  open: Decimal
  high: Decimal
  low: Decimal
  close: Decimal
  /** Shares. */
  volume: Decimal
}

/** A part of what an account's broker has executed and charged. */
export interface FillListing {
  fills: Execution[]
  /** Fees come by themselves, perhaps long after what they are charged for. */
  fees: Fee[]
  /** Executions and fees on the list that cannot be read, and are left out; absent where all could be. */
  unreadable?: UnreadableExecution[]
  /** The instant at which the last one was booked, from which on the next part is to be listed; null for an empty list. */
  until: string | null
  /** There is more from `until` on. */
  hasMore: boolean
}

/** An execution, or a fee, of which the broker's words cannot be read. */
export interface UnreadableExecution {
  executionId: string
  /** The fault in words. */
  detail: string
}

/** A split as its broker has booked it: shares that came, below zero for shares that went. One split may be booked in parts. */
export interface BookedSplit {
  /** YYYY-MM-DD. */
  date: string
  quantity: Decimal
}

export interface OrderStreamHandlers {
  /** The stream is authenticated and subscribed: from here on nothing is missed until it breaks. */
  onReady(): void
  onReport(report: OrderReport, event: OrderStreamEvent): void
  /** Every few seconds, where the stream has pings: milliseconds since the broker was last heard of. */
  onPulse?(silentFor: number): void
  /** An event was left out that cannot be read. The stream goes on, and nothing else is missed. */
  onUnreadable?(event: UnreadableEvent): void
}

/** An event of the stream that cannot be read. */
export interface UnreadableEvent {
  /** Null where not even that can be read. */
  brokerOrderId: string | null
  /** The fault in words. */
  detail: string
  /** The event may be about an order of ours, of which the broker could not be asked either. */
  isMissed: boolean
}

/** One event of the stream, in the broker's own words, kept for the timeline. */
export interface OrderStreamEvent {
  /** new, fill, partial_fill, canceled, expired, rejected, ... */
  kind: string
  /** The one execution that a fill event tells of. */
  execution: { executionId: string; quantity: Decimal; price: Decimal; at: string } | null
  /**
   * The execution that a bust or a correction takes back, and what stands in its place; absent in every other event. The
   * report that comes with it tells what is filled after it.
   */
  amendment?: {
    executionId: string
    corrected: { executionId: string; quantity: Decimal; price: Decimal } | null
  }
}

/** Amounts in `currency`. */
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
  /** Null where the broker no longer reports it. */
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

/** An asset on the list of a broker. */
export interface ListedAsset extends Pick<BrokerAsset, 'symbol' | 'exchange'> {
  /** Empty where the broker tells none. */
  name: string
}

export interface BrokerClock {
  /** UTC instants. */
  now: string
  isOpen: boolean
  nextOpen: string
  nextClose: string
}

/** The broker said no, for good: nothing was placed and repeating cannot help. */
export class BrokerRejection extends Error {
  override readonly name = 'BrokerRejection'
  readonly code: DenialCode
  /** The broker's own words. */
  readonly brokerMessage: string
  readonly httpStatus: number
  /** The broker's id of the open order that stands against this one, for OPPOSITE_ORDER; null where it names none. */
  readonly opposing: string | null
  /** Dollars of buying power that the order takes and that there are, for INSUFFICIENT_FUNDS; null where it tells none. */
  readonly funds: { needed: Decimal; available: Decimal } | null
  /** A position of the other side is what the order was refused for; false where the broker does not say so. */
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

/** Rate limited or told to come back: nothing was placed; ask again after the wait. */
export class BrokerBusy extends Error {
  override readonly name = 'BrokerBusy'
  /** Milliseconds the broker asked for; at least 0. */
  readonly retryAfterMs: number
  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** The rest of the broker's limit is kept for requests that matter more: nothing left this process. */
export class BrokerBudgetSpent extends BrokerBusy {}

/** The connection's keys are wrong, revoked or lack permission: nothing was placed. */
export class BrokerCredentialsError extends Error {
  override readonly name = 'BrokerCredentialsError'
  /** The request that was refused and the answer to it; null where the keys were not tried by one. */
  readonly refused: RefusedRequest | null
  constructor(message: string, refused: RefusedRequest | null = null) {
    super(message)
    this.refused = refused
  }
}

/** A request that was refused as if the keys were wrong. */
export interface RefusedRequest {
  /** Such as `last trade`. */
  what: string
  httpStatus: number
  /** The broker's own words; null where it gave none that can be read. */
  words: string | null
}

/** The broker accepts the keys and serves no prices to them: their data plan lacks them. */
export class BrokerPricesUnavailable extends Error {
  override readonly name = 'BrokerPricesUnavailable'
}

/**
 * No usable answer: a timeout, a reset, a 5xx, a body that could not be read. The request may or may not
 * have taken effect; only a look-up by client order id can tell.
 */
export class BrokerOutcomeUnknown extends Error {
  override readonly name = 'BrokerOutcomeUnknown'
}

/** The broker does not tell what an asset is: it has no such service, for any symbol. */
export class AssetLookupUnsupported extends Error {
  override readonly name = 'AssetLookupUnsupported'
}

/**
 * For what a request is made; the first go first. orders: orders, cancels, and everything that these need to be decided.
 * lookups: whether an order of ours is there, and the order stream. comparison: following an account. show: what people look at.
 */
export const REQUEST_CLASSES = ['orders', 'lookups', 'comparison', 'show'] as const
export type RequestClass = (typeof REQUEST_CLASSES)[number]

/** Lets the requests of a connection out; see `gate.ts`. */
export interface RequestGate {
  /** Counts a request that is about to leave. Throws, or rejects with, a {@link BrokerBusy} when it may not leave now. */
  enter(kind: RequestClass): RequestPass | Promise<RequestPass>
}

/** A request that was let out. */
export interface RequestPass {
  /** To be called once it has an answer, or will have none: then the status is null. Calls after the first do nothing. */
  over(status: number | null, headers: IncomingHttpHeaders): void
}

/** How to reach a broker on behalf of one connection. */
export interface BrokerConnectionSettings {
  brokerType: string
  /** Address of the Trading API, without the version part, such as `http://127.0.0.1:3100`. */
  baseUrl: string
  credentials: Record<string, string>
  /** Bound on one request, in milliseconds. */
  requestTimeoutMs?: number
  /** The stored connection; absent for keys that are not stored yet. */
  connectionId?: string
  /** Of requests that do not place, cancel or look up an order; `show` unless given. */
  requestClass?: RequestClass
  /** Passed by each request; none where the process makes a few requests and ends. */
  gate?: RequestGate
  /**
   * Told of each request that was made: the HTTP status or `none`, how long it took in seconds, and the headers of the
   * answer, none without one.
   */
  afterRequest?: (outcome: string, seconds: number, headers: IncomingHttpHeaders) => void
}
