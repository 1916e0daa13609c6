import { BrokerRejection, type OrderChange, type Permit } from '#brokers/port.ts'
import {
  add,
  compare,
  isPositive,
  isZero,
  magnitude,
  negate,
  smaller,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import {
  brokerIdsOf,
  executionSide,
  isReducing,
  isWorking,
  parseClientOrderId,
  type OrderReport,
  type OrderRequest,
  type OrderSide,
  type OrderStatus,
} from '#domain/order/order.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker, type SubmissionBehaviour } from '#test/support/scripted-broker.ts'
import type { RestingTrade } from '#test/support/scripted-market.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'
import { isOfProtection, visitsOf, type Visit, MADE_WAY } from './visits.ts'

/** Which of a signal's orders is meant. */
export type Role = 'entry' | 'exit'

const PRICE = '100'

/**
 * A broker whose positions follow from its executions: it refuses to sell what is not there or is held by other orders, and
 * what could trade with an order of the same account. Orders fill when they are told to. Whatever must never reach a
 * broker is written down as a fault.
 */
export class Exchange extends ScriptedBroker {
  /** In words. */
  readonly faults: string[] = []
  /** Signals whose exit a person has called off, as they were answered. */
  readonly calledOff = new Set<string>()
  /** Signals whose exit plan is over, by its session. */
  readonly overBySession = new Set<string>()
  /** What becomes of the next orders of a signal that are sent for the first time, in order. */
  readonly behaviours = new Map<string, SubmissionBehaviour[]>()
  /** Changes of orders that the feed has not told yet. */
  readonly news: OrderReport[] = []
  /** What the signals with an exit plan have come through. */
  readonly visited = new Set<Visit>()
  /** Whether a signal has an exit plan. */
  readonly hasProtection: (signalId: string) => boolean
  #executed = 0
  #strangers = 0

  constructor(hasProtection: (signalId: string) => boolean) {
    super()
    this.hasProtection = hasProtection
    this.onCancelled = ({ clientOrderId }) => this.#changed(clientOrderId)
  }

  override accept(request: OrderRequest): OrderReport {
    const { clientOrderId } = request
    const identity = parseClientOrderId(clientOrderId)
    if (identity?.role === 'exit') {
      if (this.calledOff.has(identity.signalId))
        this.faults.push(`${clientOrderId} after the exit was called off`)
      if (this.overBySession.has(identity.signalId) && identity.purpose !== 'timed')
        this.faults.push(`${clientOrderId} after the session of its plan`)
      if (this.hasProtection(identity.signalId)) for (const one of visitsOf(request)) this.visited.add(one)
    }
    if (identity?.role === 'entry' && !isReducing(request.side) && this.#hasMadeWay())
      this.visited.add(MADE_WAY)
    if (identity?.role === 'entry' && identity.generation > 1)
      this.faults.push(`a second entry ${clientOrderId}`)
    const report = super.accept(request)
    this.#refresh()
    return report
  }

  override async submitOrder(request: OrderRequest): Promise<OrderReport> {
    const known = this.accepted.get(request.clientOrderId)?.report
    if (known && compare(known.quantity, request.quantity) !== 0)
      this.faults.push(`${request.clientOrderId} sent with ${request.quantity}, and ${known.quantity} before`)
    const identity = parseClientOrderId(request.clientOrderId)
    const own = identity && this.behaviours.get(identity.signalId)
    this.script.length = 0
    if (!known && own?.length) this.script.push(own.shift()!)
    const next = this.script[0] ?? this.otherwise
    if (!known) this.#judge(request)
    if (!known && (next === 'accept' || next === 'acceptThenUnknown')) this.#admit(request)
    return super.submitOrder(request)
  }

  /** Shares, negative for a short position. */
  get net(): Decimal {
    return this.fills.reduce<Decimal>(
      (sum, { side, quantity }) => (side === 'BUY' ? add(sum, quantity) : subtract(sum, quantity)),
      '0',
    )
  }

  reports(): OrderReport[] {
    return [...this.accepted.values()].map(({ report }) => report)
  }

  /** Shares of all orders of a signal. */
  filledOf(signalId: string, role: Role): Decimal {
    return this.#ownOf(signalId, role).reduce<Decimal>(
      (sum, { filledQuantity }) => add(sum, filledQuantity),
      '0',
    )
  }

  /** The order of a signal that works; the last one, works or not, where `orElse` says so. */
  working(signalId: string, role: Role, orElse: 'none' | 'the last' = 'none'): OrderReport | undefined {
    const own = this.#ownOf(signalId, role)
    return own.find(({ status }) => isWorking(status)) ?? (orElse === 'none' ? undefined : own.at(-1))
  }

  /** Executes so many shares of an order, at most what is left of it. Of one that was cancelled that is a late fill. */
  fill(order: OrderReport | undefined, shares: Decimal): void {
    if (!order || order.status === 'FILLED' || order.status === 'REJECTED') return
    this.execute(order, shares, { brokerOrderId: order.brokerOrderId, price: PRICE })
  }

  protected override execute(
    order: OrderReport,
    shares: Decimal | null,
    trade: RestingTrade,
  ): OrderReport | null {
    const left = subtract(order.quantity, order.filledQuantity)
    const closable = isReducing(order.side) ? this.#closable(order.side) : left
    const report = super.execute(order, smaller(closable, shares ?? left), trade)
    if (report) {
      if (isOfProtection(report) && report.status === 'PARTIALLY_FILLED')
        this.visited.add('a part of an order of the plan was filled')
      this.#changed(order.clientOrderId)
    }
    return report
  }

  override async changeOrder(brokerOrderId: string, change: OrderChange, permit?: Permit) {
    const find = () => this.reports().find((report) => brokerIdsOf(report).includes(brokerOrderId))
    const before = find()?.changedAt
    const answer = await super.changeOrder(brokerOrderId, change, permit)
    const report = find()
    // The clock stands still, and of two changes the later one counts.
    if (before && report?.changedAt && report.changedAt <= before)
      this.put({ ...report, changedAt: new Date(Date.parse(before) + 1).toISOString() })
    if (answer === 'requested' && change.stopPrice !== undefined) this.visited.add('a stop that was moved')
    return answer
  }

  end(order: OrderReport | undefined, status: OrderStatus): void {
    if (!order || !isWorking(order.status)) return
    this.put({ ...order, status, endedAt: new Date().toISOString() })
    this.#changed(order.clientOrderId)
  }

  /** An order of which nothing has filled is gone, and nothing is said of it. */
  forget(order: OrderReport | undefined): void {
    if (!order || isPositive(order.filledQuantity)) return
    this.accepted.delete(order.clientOrderId)
    this.#refresh()
  }

  /** Executes two shares more than an order asked for. */
  overfill(order: OrderReport | undefined): void {
    if (!order || !isWorking(order.status)) return
    const { quantity } = order
    this.put({ ...order, quantity: add(quantity, '2') })
    this.fill(this.accepted.get(order.clientOrderId)!.report, add(quantity, '2'))
    const { report } = this.accepted.get(order.clientOrderId)!
    // Where no more could be closed than the order asked for, that is all of it.
    const isWhole = compare(report.filledQuantity, quantity) >= 0
    const ending = isWhole ? ({ status: 'FILLED', endedAt: report.endedAt ?? report.filledAt } as const) : {}
    this.put({ ...report, quantity, ...ending })
    this.news.splice(-1, 1, this.accepted.get(order.clientOrderId)!.report)
  }

  /** Somebody changes the limit of an order at the broker's own site. */
  changeByHand(order: OrderReport | undefined): void {
    if (!order || !isWorking(order.status) || order.limitPrice === null) return
    const limitPrice = add(order.limitPrice, '1')
    this.put({ ...order, limitPrice, changedBy: 'others', changedAt: new Date().toISOString() })
    this.#changed(order.clientOrderId)
  }

  /** Somebody closes shares at the broker's own site, at most those that no order holds. */
  closeByHand(shares: Decimal): void {
    const [position] = this.positions
    if (!position) return
    const quantity = smaller(shares, position.availableQuantity)
    if (!isPositive(quantity)) return
    this.#strangers += 1
    this.#execute(
      `stranger-${this.#strangers}`,
      position.side === 'LONG' ? 'SELL' : 'BUY',
      quantity,
      quantity,
    )
    this.#refresh()
  }

  /** Somebody cancels an order at the broker's own site, and closes there what it was for. */
  sellAtSite(order: OrderReport | undefined): void {
    this.end(order, 'CANCELLED')
    if (order) this.closeByHand(subtract(order.quantity, order.filledQuantity))
  }

  /** As `replayShares` reads it. */
  get ledger(): LedgerOrder[] {
    const names = new Map(
      this.reports().flatMap((report) => brokerIdsOf(report).map((id) => [id, report] as const)),
    )
    const byOrder = Map.groupBy(
      this.fills,
      ({ brokerOrderId }) => names.get(brokerOrderId!)?.clientOrderId ?? brokerOrderId!,
    )
    return [...byOrder].map(([name, fills]) => {
      const [first] = fills
      const report = names.get(first!.brokerOrderId!)
      return {
        client_order_id: name,
        symbol: first!.symbol,
        side: first!.side === 'BUY' ? 'buy' : 'sell',
        position_intent: report && isReducing(report.side) ? 'sell_to_close' : '',
        created_at: report?.submittedAt ?? first!.at,
        fills: fills.map(({ executionId, quantity, price, at }): LedgerOrder['fills'][number] => ({
          execution_id: executionId,
          qty: quantity,
          price,
          fee: '0',
          at,
        })),
      } as LedgerOrder
    })
  }

  #ownOf(signalId: string, role: Role): OrderReport[] {
    return this.reports().filter(({ clientOrderId }) => {
      const identity = parseClientOrderId(clientOrderId)
      return identity?.signalId === signalId && identity.role === role
    })
  }

  /** What no exit may ask for, also where the broker refuses it: both could fill, or more be sold than is owned. */
  #judge({ clientOrderId, quantity }: OrderRequest): void {
    const identity = parseClientOrderId(clientOrderId)
    if (identity?.role !== 'exit') return
    const { signalId } = identity
    const beside = this.working(signalId, 'exit')
    if (beside) this.faults.push(`${clientOrderId} beside ${beside.clientOrderId}, which works`)
    if (this.working(signalId, 'entry')) this.faults.push(`${clientOrderId} while its entry works`)
    const left = subtract(this.filledOf(signalId, 'entry'), this.filledOf(signalId, 'exit'))
    if (compare(quantity, left) > 0)
      this.faults.push(`${clientOrderId} is for ${quantity}, and its signal has ${left} at most`)
  }

  #closable(side: OrderSide): Decimal {
    const { net } = this
    return (side === 'SELL') === isPositive(net) && !isZero(net) ? magnitude(net) : '0'
  }

  /** Shares are held, and the order of a plan was cancelled with no other in its place. */
  #hasMadeWay(): boolean {
    const ofExits = this.reports().filter(isOfProtection)
    return this.positions.length > 0 && ofExits.at(-1)?.status === 'CANCELLED'
  }

  #admit({ clientOrderId, side, quantity, orderType, limitPrice }: OrderRequest): void {
    const [position] = this.positions
    const closes = side === 'SELL' ? 'LONG' : 'SHORT'
    if (isReducing(side) && (position?.side !== closes || compare(position.availableQuantity, quantity) < 0))
      throw new BrokerRejection('INVALID_ORDER', `insufficient qty for ${clientOrderId}`, 403)
    const opens = side === 'BUY' ? 'SHORT' : 'LONG'
    if (!isReducing(side) && position?.side === opens)
      throw new BrokerRejection('INVALID_ORDER', 'the position is on the other side', 422)
    const opposing = this.reports().find(
      (order) =>
        isWorking(order.status) &&
        executionSide(order.side) !== executionSide(side) &&
        ([orderType, order.orderType].some((type) => type !== 'limit') ||
          crosses(side, limitPrice!, order.limitPrice!)),
    )
    if (opposing)
      throw new BrokerRejection('OPPOSITE_ORDER', 'potential wash trade detected', 403, {
        opposing: opposing.brokerOrderId,
      })
  }

  #execute(brokerOrderId: string, side: 'BUY' | 'SELL', quantity: Decimal, orderFilled: Decimal): void {
    this.#executed += 1
    const at = new Date().toISOString().replace('Z', `${String(this.#executed % 1_000).padStart(3, '0')}Z`)
    this.fills.push({
      executionId: `execution-${this.#executed}`,
      brokerOrderId,
      symbol: 'AAPL',
      side,
      quantity,
      price: PRICE,
      at,
      orderFilled,
    })
  }

  #changed(clientOrderId: string): void {
    this.news.push(this.accepted.get(clientOrderId)!.report)
    this.#refresh()
  }

  #refresh(): void {
    const { net } = this
    if (isZero(net)) {
      this.positions = []
      return
    }
    const side = isPositive(net) ? 'LONG' : 'SHORT'
    const quantity = isPositive(net) ? net : negate(net)
    const reserved = this.reports()
      .filter(
        (order) => isWorking(order.status) && order.side === (side === 'LONG' ? 'SELL' : 'BUY_TO_COVER'),
      )
      .reduce<Decimal>((sum, order) => add(sum, subtract(order.quantity, order.filledQuantity)), '0')
    const free = subtract(quantity, reserved)
    this.positions = [held(quantity, side, { availableQuantity: isPositive(free) ? free : '0' })]
  }
}

const crosses = (side: OrderSide, limit: Decimal, other: Decimal): boolean =>
  executionSide(side) === 'BUY' ? compare(limit, other) >= 0 : compare(limit, other) <= 0
