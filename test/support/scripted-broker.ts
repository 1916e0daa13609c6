import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
  type Bar,
  type BarQuery,
  type Bars,
  type BookedSplit,
  type Broker,
  type BrokerAccount,
  type BrokerAsset,
  type BrokerClock,
  type BrokerPosition,
  type FillListing,
  type ListedAsset,
  type OrderChange,
  type OrderStreamEvent,
  type OrderStreamHandlers,
  type Permit,
  type Quote,
  type UnreadableEvent,
  type UnreadableExecution,
} from '#brokers/port.ts'
import {
  add,
  compare,
  divideDown,
  isPositive,
  LEDGER_PLACES,
  multiply,
  smaller,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import { byExecution, type Execution, type Fee } from '#domain/order/fill.ts'
import type { LastPrice } from '#domain/risk/market-price.ts'
import {
  brokerIdsOf,
  executionSide,
  isTerminal,
  isWorking,
  type OrderReport,
  type OrderRequest,
} from '#domain/order/order.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { UNRESTRICTED } from './permissions.ts'
import { reportOf } from './sample-signal.ts'
import { tradeOf, type RestingTrade } from './scripted-market.ts'

export const SUBMISSION_BEHAVIOURS = [
  'accept',
  'acceptThenUnknown',
  'unknownBefore',
  'busy',
  'refuse',
  'opposed',
  'against',
  'credentials',
  'duplicate',
] as const
/**
 * What becomes of one submission. acceptThenUnknown: the order is accepted and the answer lost.
 * unknownBefore: the request is lost. refuse: for reasons that are checked before the client order id is.
 * opposed: because of the open order `opposing`. against: because of a position of the other side.
 * duplicate: the broker says that it has the id, whether its look-up shows the order or not.
 */
export type SubmissionBehaviour = (typeof SUBMISSION_BEHAVIOURS)[number]

/** What becomes of one look-up by client order id. */
export type LookupBehaviour = 'answer' | 'unknown' | 'busy' | 'credentials'

/** A broker in memory that does as it is told, misbehaviour included, and accepts a client order id once. */
export class ScriptedBroker implements Broker {
  /** What becomes of the next submissions, in order; of those after them, whatever `otherwise` says. */
  readonly script: SubmissionBehaviour[] = []
  otherwise: SubmissionBehaviour = 'accept'
  /** What becomes of the next look-ups; those after them are answered. */
  readonly lookups: LookupBehaviour[] = []
  /** How long an accepted order does not show in look-ups, in milliseconds. */
  lookupLag = 0
  /** Passes before each request takes effect. */
  latency: () => Promise<void> | void = () => {}

  /** Every submission that arrived. */
  readonly submissions: OrderRequest[] = []
  /** How many other requests arrived, by the name of the method. */
  readonly requests = new Map<string, number>()
  readonly accepted = new Map<string, { report: OrderReport; at: number }>()
  /** The best price for its position since a trailing stop was accepted, by client order id. */
  readonly #best = new Map<string, Decimal>()
  #executions = 0
  positions: BrokerPosition[] = []
  /** What was executed and charged; fees are listed whatever their age. */
  fills: Execution[] = []
  fees: Fee[] = []
  /** Executions on the list that cannot be read. */
  unreadable: UnreadableExecution[] = []
  /** Splits of any symbol. */
  splits: BookedSplit[] = []
  /** Since when fills were asked for, each time. */
  readonly fillsAskedSince: string[] = []
  /** Fills that one answer holds at most. */
  fillsInOneAnswer = 1_000
  sessions: TradingSession[] = []
  balances: BrokerAccount = {
    brokerAccountId: 'PA1',
    type: 'MARGIN',
    currency: 'USD',
    equity: '100000',
    cashBalance: '100000',
    buyingPower: '200000',
    nonMarginableBuyingPower: '100000',
    dayTradingBuyingPower: null,
    marketValue: '0',
    permissions: UNRESTRICTED,
  }
  /** Of every symbol; null for a broker that knows none. */
  lastPrice: Decimal | null = '100'
  /** When the last trade was; at the moment of the question unless given. */
  pricedAt: string | null = null
  /** Bid and ask of every symbol; the last price of this moment unless given. */
  quote: Pick<Quote, 'bid' | 'ask' | 'quotedAt'> | null = null
  /** When set, the requests for last price and quotes fail with it. */
  priceTrouble: Error | null = null
  /** Of every symbol and period, oldest first. */
  bars: Bar[] = []
  asset: Omit<BrokerAsset, 'symbol'> | null = {
    name: 'Sample',
    exchange: 'NYSE',
    assetClass: 'us_equity',
    status: 'active',
    tradable: true,
    marginable: true,
    shortable: true,
    easyToBorrow: true,
    fractionable: true,
    maintenanceMarginRequirement: null,
    marginRequirementLong: null,
    marginRequirementShort: null,
  }
  /** Those that it lists. */
  listed: ListedAsset[] = []
  clock: Omit<BrokerClock, 'now'> = {
    isOpen: true,
    nextOpen: '2026-03-03T14:30:00.000Z',
    nextClose: '2026-03-02T21:00:00.000Z',
  }
  /** The broker's id of the order that stands against others. */
  opposing: string | null = null
  cancels: 'at once' | 'pending' = 'at once'
  /** What else becomes of an order that is cancelled. */
  onCancelled: (report: OrderReport) => void = () => {}
  /** When set, every request but a submission fails with it. */
  outage: Error | null = null
  /** When set, the order stream fails with it, and nothing else does. */
  streamOutage: Error | null = null
  readonly #streams = new Set<{ handlers: OrderStreamHandlers; fail(error: Error): void }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  async submitOrder(request: OrderRequest): Promise<OrderReport> {
    await this.latency()
    this.submissions.push(request)
    const behaviour = this.script.shift() ?? this.otherwise
    const known = this.accepted.has(request.clientOrderId)
    switch (behaviour) {
      case 'busy':
        throw new BrokerBusy('too many requests', 1_500)
      case 'refuse':
        throw new BrokerRejection('INSUFFICIENT_FUNDS', 'insufficient buying power', 403)
      case 'opposed':
        throw new BrokerRejection('OPPOSITE_ORDER', 'potential wash trade detected', 403, {
          opposing: this.opposing,
        })
      case 'against':
        throw new BrokerRejection('INVALID_ORDER', 'position intent mismatch', 422, {
          isAgainstPosition: true,
        })
      case 'credentials':
        throw new BrokerCredentialsError('the keys are not accepted')
      case 'unknownBefore':
        throw new BrokerOutcomeUnknown('connection reset')
      case 'acceptThenUnknown':
        if (!known) this.accept(request)
        throw new BrokerOutcomeUnknown('no answer in time')
      case 'duplicate':
        throw new DuplicateClientOrderId('client order id must be unique')
      case 'accept':
        if (known) throw new DuplicateClientOrderId('client order id must be unique')
        return this.accept(request)
    }
  }

  /** Takes an order into the ledger, as if it had been sent. */
  accept(request: OrderRequest, changes: Partial<OrderReport> = {}, at = this.#now()): OrderReport {
    const parts = request.orderType === 'oco' ? ['', '-stop'] : []
    const links = parts.map((part) => ({
      brokerOrderId: `broker-${request.clientOrderId}${part}`,
      filledQuantity: '0' as const,
    }))
    const report = reportOf(request, new Date(at).toISOString(), {
      ...(links.length > 0 && { links }),
      ...changes,
    })
    this.accepted.set(request.clientOrderId, { report, at })
    return report
  }

  /** Changes what the broker's own records say of an order, without a word on the stream. */
  put(report: OrderReport): void {
    this.accepted.set(report.clientOrderId, { report, at: this.#now() })
  }

  /**
   * The market trades at a price: working orders that it reaches fill, each with at most so many shares, and their executions are
   * listed. Returns the orders that have traded.
   */
  tradeAt(price: Decimal, shares: Decimal | null = null): OrderReport[] {
    this.lastPrice = price
    return this.#reports()
      .toReversed()
      .flatMap((order) => {
        if (!isWorking(order.status)) return []
        const isSale = executionSide(order.side) === 'SELL'
        const before = this.#best.get(order.clientOrderId) ?? price
        const best = compare(price, before) * (isSale ? 1 : -1) > 0 ? price : before
        this.#best.set(order.clientOrderId, best)
        const trade = tradeOf(order, price, best)
        const filled = trade && this.execute(order, shares, trade)
        return filled ?? []
      })
  }

  /** Executes shares of an order, all that is left unless told otherwise; null where nothing is left. */
  protected execute(order: OrderReport, shares: Decimal | null, trade: RestingTrade): OrderReport | null {
    const { side, symbol, filledQuantity, avgFillPrice, links } = order
    const left = subtract(order.quantity, filledQuantity)
    const quantity = shares === null ? left : smaller(left, shares)
    if (!isPositive(quantity)) return null
    const { brokerOrderId, price } = trade
    const at = new Date(this.#now()).toISOString()
    const sum = add(filledQuantity, quantity)
    const value = add(multiply(avgFillPrice ?? '0', filledQuantity), multiply(price, quantity))
    const isDone = compare(sum, order.quantity) >= 0
    const ended = isDone || isTerminal(order.status)
    const report: OrderReport = {
      ...order,
      status: isDone ? 'FILLED' : isTerminal(order.status) ? order.status : 'PARTIALLY_FILLED',
      filledQuantity: sum,
      avgFillPrice: divideDown(value, sum, LEDGER_PLACES),
      filledAt: at,
      endedAt: ended ? (order.endedAt ?? at) : null,
      ...(links && {
        links: links.map((link) =>
          link.brokerOrderId === brokerOrderId
            ? { brokerOrderId, filledQuantity: add(link.filledQuantity, quantity) }
            : link,
        ),
      }),
    }
    this.put(report)
    this.#executions += 1
    this.fills.push({
      executionId: `trade-${this.#executions}`,
      brokerOrderId,
      symbol,
      side: executionSide(side),
      quantity,
      price,
      // Executions follow each other faster than milliseconds.
      at: at.replace('Z', `${String(this.#executions % 1_000).padStart(3, '0')}Z`),
      orderFilled: report.links?.find((link) => link.brokerOrderId === brokerOrderId)?.filledQuantity ?? sum,
    })
    return report
  }

  async findOrder(clientOrderId: string): Promise<OrderReport | null> {
    await this.#arrive('findOrder')
    switch (this.lookups.shift() ?? 'answer') {
      case 'unknown':
        throw new BrokerOutcomeUnknown('no answer in time')
      case 'busy':
        throw new BrokerBusy('too many requests', 0)
      case 'credentials':
        throw new BrokerCredentialsError('the keys are not accepted')
      case 'answer': {
        const order = this.accepted.get(clientOrderId)
        return order && this.#now() >= order.at + this.lookupLag ? order.report : null
      }
    }
  }

  async getOrder(brokerOrderId: string): Promise<OrderReport | null> {
    await this.#arrive('getOrder')
    return this.#orderOf(brokerOrderId) ?? null
  }

  /** Whatever the instant is that is asked for: most orders of tests are older. */
  async listOrders({
    status,
    limit = Infinity,
  }: {
    status: 'open' | 'closed' | 'all'
    after?: string
    limit?: number
  }) {
    await this.#arrive('listOrders')
    return this.#reports()
      .filter((report) => status === 'all' || isTerminal(report.status) === (status === 'closed'))
      .slice(0, limit)
  }

  async listFills(after: string): Promise<FillListing> {
    await this.#arrive('listFills')
    this.fillsAskedSince.push(after)
    const since = this.fills.filter(({ at }) => at >= after).toSorted(byExecution)
    const fills = since.slice(0, this.fillsInOneAnswer)
    const unreadable = this.unreadable.length > 0 ? { unreadable: this.unreadable } : {}
    return {
      fills,
      fees: this.fees,
      ...unreadable,
      until: fills.at(-1)?.at ?? null,
      hasMore: fills.length < since.length,
    }
  }

  async listSplits(): Promise<BookedSplit[]> {
    await this.#arrive('listSplits')
    return this.splits
  }

  async getAccount(): Promise<BrokerAccount> {
    await this.#arrive('getAccount')
    return this.balances
  }

  async listPositions(): Promise<BrokerPosition[]> {
    await this.#arrive('listPositions')
    return this.positions
  }

  async getPosition(symbol: string): Promise<BrokerPosition | null> {
    await this.#arrive('getPosition')
    return this.positions.find((position) => position.symbol === symbol) ?? null
  }

  async listSessions(from: string, to: string): Promise<TradingSession[]> {
    await this.#arrive('listSessions')
    return this.sessions.filter(({ date }) => date >= from && date <= to)
  }

  /** How many streams are open. */
  get listeners(): number {
    return this.#streams.size
  }

  /** Sends every open stream of a report, and of the execution that it is about. */
  emit(
    report: OrderReport,
    execution: OrderStreamEvent['execution'] = null,
    rest: Pick<OrderStreamEvent, 'amendment'> = {},
  ): void {
    for (const { handlers } of this.#streams) handlers.onReport(report, { kind: 'fill', execution, ...rest })
  }

  /** Sends every open stream of an event that cannot be read. */
  emitUnreadable(event: UnreadableEvent): void {
    for (const { handlers } of this.#streams) handlers.onUnreadable?.(event)
  }

  /** Breaks every open stream. */
  breakStreams(error: Error): void {
    for (const { fail } of this.#streams) fail(error)
  }

  async streamOrders(handlers: OrderStreamHandlers, signal: AbortSignal): Promise<void> {
    await this.#arrive('streamOrders')
    if (this.streamOutage !== null) throw this.streamOutage
    if (signal.aborted) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stream = { handlers, fail: reject }
    this.#streams.add(stream)
    const stop = () => resolve()
    signal.addEventListener('abort', stop)
    handlers.onReady()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', stop)
      this.#streams.delete(stream)
    }
  }

  /** Changes a working order at once, which gets another id thereby; of an oco the part that is changed does. */
  async changeOrder(
    brokerOrderId: string,
    change: OrderChange,
    permit?: Permit,
  ): Promise<'requested' | 'too_late' | 'not_found' | 'refused'> {
    const assertMayLeave = await permit?.()
    assertMayLeave?.()
    await this.#arrive('changeOrder')
    const order = this.#orderOf(brokerOrderId)
    if (!order) return 'not_found'
    if (isTerminal(order.status)) return 'too_late'
    const entries = Object.entries(change) as [keyof OrderChange, OrderChange[keyof OrderChange]][]
    const others = entries.filter(
      ([field, wanted]) =>
        wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(order[field] ?? null),
    )
    if (others.length === 0) return 'requested'
    const changed = new Set(others.map(([field]) => field))
    const isOco = order.orderType === 'oco'
    if (isOco && changed.has('quantity')) return 'refused'
    const isNewStop = isOco && (changed.has('stopPrice') || changed.has('stopLimitPrice'))
    const isNewItself = !isOco || changed.has('limitPrice')
    const next = (id: string): string => {
      const [first, count = '0'] = id.split('~')
      return `${first}~${Number(count) + 1}`
    }
    const links = order.links ?? [
      { brokerOrderId: order.brokerOrderId, filledQuantity: order.filledQuantity },
    ]
    const at = links.findIndex((link) => link.brokerOrderId === order.brokerOrderId)
    const itself = isNewItself ? next(order.brokerOrderId) : order.brokerOrderId
    this.put({
      ...order,
      ...Object.fromEntries(others),
      brokerOrderId: itself,
      links: [
        ...links.slice(0, at + 1),
        ...(isNewItself ? [{ brokerOrderId: itself, filledQuantity: '0' as const }] : []),
        ...links.slice(at + 1),
        ...(isNewStop
          ? [{ brokerOrderId: next(links.at(-1)!.brokerOrderId), filledQuantity: '0' as const }]
          : []),
      ],
      changedAt: new Date(this.#now()).toISOString(),
    })
    return 'requested'
  }

  /** Cancels a working order at once, unless `cancels` says otherwise. */
  async cancelOrder(brokerOrderId: string): Promise<'requested' | 'too_late' | 'not_found'> {
    await this.#arrive('cancelOrder')
    const report = this.#orderOf(brokerOrderId)
    if (!report) return 'not_found'
    if (isTerminal(report.status)) return 'too_late'
    if (this.cancels === 'at once') {
      this.put({ ...report, status: 'CANCELLED' })
      this.onCancelled(report)
    }
    return 'requested'
  }

  async getAsset(symbol: string): Promise<BrokerAsset | null> {
    await this.#arrive('getAsset')
    return this.asset && { symbol, ...this.asset }
  }

  async listAssets(): Promise<ListedAsset[]> {
    await this.#arrive('listAssets')
    return this.listed
  }

  async getLastPrice(): Promise<LastPrice | null> {
    await this.#arrive('getLastPrice')
    if (this.priceTrouble) throw this.priceTrouble
    return this.lastPrice === null ? null : { price: this.lastPrice, at: this.#tradedAt() }
  }

  async getQuotes(symbols: readonly string[]): Promise<Quote[]> {
    await this.#arrive('getQuotes')
    if (this.priceTrouble) throw this.priceTrouble
    const last = this.lastPrice
    if (last === null) return []
    const market = this.quote ?? { bid: last, ask: last, quotedAt: new Date(this.#now()).toISOString() }
    const rest = { last, at: this.#tradedAt(), previousClose: '96' } as const
    return symbols.map((symbol) => ({ symbol, ...market, ...rest }))
  }

  async listBars({ limit }: BarQuery): Promise<Bars> {
    await this.#arrive('listBars')
    return { bars: this.bars.slice(-limit), isComplete: this.bars.length <= limit }
  }

  async getClock(): Promise<BrokerClock> {
    await this.#arrive('getClock')
    return { now: new Date(this.#now()).toISOString(), ...this.clock }
  }

  async #arrive(method: string): Promise<void> {
    await this.latency()
    this.requests.set(method, (this.requests.get(method) ?? 0) + 1)
    if (this.outage) throw this.outage
  }

  #tradedAt(): string {
    return this.pricedAt ?? new Date(this.#now()).toISOString()
  }

  /** The order of which any part has, or had, this id. */
  #orderOf(brokerOrderId: string): OrderReport | undefined {
    return this.#reports().find((report) => brokerIdsOf(report).includes(brokerOrderId))
  }

  #reports(): OrderReport[] {
    return [...this.accepted.values()].map(({ report }) => report).toReversed()
  }
}
