import { compare } from '#domain/money/decimal.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { BrokerOutcomeUnknown } from '../port.ts'
import { Memo } from './reads.ts'
import { placedAs } from './names.ts'
import type { OrderRequests } from './order-requests.ts'
import { orderReport } from './orders.ts'
import { isStopLost, reportOfChain, reportOfPair, type Chain } from './parts.ts'
import { Replacements } from './replacements.ts'
import { isForeignOrder, readWire, wireOrder, type WireOrder, type WireOrderPage } from './wire.ts'

const PAIR_WITHIN_MS = 5_000

export interface LogicalOrder {
  report: OrderReport
  now: WireOrder
  stop: WireOrder | null
}

/** Replaced orders and their successors are one, and so are target and stop of a pair (order class oco). */
export class LogicalOrders {
  readonly #requests: OrderRequests
  readonly replacements: Replacements
  /** Null for a stop without a known target. */
  readonly #targets = new Memo<string | null>()

  readonly #cancel: (id: string) => Promise<unknown>
  /** Targets cancelled because their stops were gone. */
  readonly #calledBack = new Memo<boolean>()

  constructor(requests: OrderRequests, cancel: (id: string) => Promise<unknown>) {
    this.#requests = requests
    this.#cancel = cancel
    this.replacements = new Replacements(requests)
  }

  async byId(id: string): Promise<LogicalOrder | null> {
    const order = await this.#requests.byId(id)
    return order && this.of(order)
  }

  byLatestOf(id: string): Promise<LogicalOrder | null> {
    return this.byId(this.replacements.latestOf(id))
  }

  async byName(clientOrderId: string): Promise<LogicalOrder | null> {
    const order = await this.#requests.byName(clientOrderId)
    return order && this.of(order)
  }

  async of(order: WireOrder): Promise<LogicalOrder> {
    if (!isPair(order)) return this.#single(order)
    if (isTarget(order)) return this.#pair(order)
    const target = await this.#targetOf(order)
    return target ? this.#pair(target, order) : this.#single(order)
  }

  /** The acceptance is certain: a failed look-up does not undo it. */
  async asAccepted(order: WireOrder): Promise<OrderReport> {
    try {
      return (await this.of(order)).report
    } catch (cause) {
      throw new BrokerOutcomeUnknown('The broker did not report the parts of the accepted order', { cause })
    }
  }

  /** Unreadable and foreign orders are left out. A target brings its stop along. */
  async ofList(listed: WireOrderPage): Promise<OrderReport[]> {
    const orders = listed
      .flatMap((order) => (order.order_class === 'oco' ? [order] : [order, ...(order.legs ?? [])]))
      .filter((order) => !isForeignOrder(order))
      .flatMap((order) => wireOrder.safeParse(order).data ?? [])
    // The successor of a replaced order is listed as well.
    const alive = orders.filter((order) => order.status !== 'replaced')
    const found = await Promise.all(alive.map((order) => this.#ofIfReadable(order)))
    return found.flatMap((each) => each?.report ?? [])
  }

  /** Null when a link is missing or unreadable. */
  async #ofIfReadable(order: WireOrder): Promise<LogicalOrder | null> {
    try {
      return await this.of(order)
    } catch (error) {
      if (error instanceof BrokerOutcomeUnknown) return null
      throw error
    }
  }

  async #single(order: WireOrder): Promise<LogicalOrder> {
    if (order.status !== 'replaced' && !order.replaces)
      return { report: orderReport(order), now: order, stop: null }
    const origin = await this.replacements.originOf(order)
    const chain = await this.replacements.chainFrom(order)
    const now = chain.at(-1)!
    const report =
      chain.length === 1 && !now.replaces ? orderReport(now, origin) : reportOfChain(chain, origin)
    return { report, now, stop: null }
  }

  async #pair(target: WireOrder, seen: WireOrder | null = null): Promise<LogicalOrder> {
    const origin = await this.replacements.originOf(target)
    const chain = await this.replacements.chainFrom(await this.#withLegs(target))
    const legs = await this.#legsOf(chain)
    const stops = legs.length === 0 ? null : await this.#stopsFrom(legs, seen)
    const now = chain.at(-1)!
    for (const { id } of stops ?? []) this.#targets.set(id, now.id)
    if (isStopLost(chain, stops)) await this.#callBack(now)
    return { report: reportOfPair(chain, stops, origin), now, stop: stops?.at(-1) ?? null }
  }

  /** A target of ours must not stay without its stop: it is cancelled, and placed again. */
  async #callBack({ id, client_order_id }: WireOrder): Promise<void> {
    if (placedAs(client_order_id) === null || this.#calledBack.get(id)) return
    this.#calledBack.set(id, true)
    await this.#cancel(id).catch(() => this.#calledBack.set(id, false))
  }

  async #withLegs(target: WireOrder): Promise<WireOrder> {
    return target.legs?.length ? target : ((await this.#requests.byId(target.id)) ?? target)
  }

  async #legsOf(chain: Chain): Promise<WireOrder[]> {
    const last = await this.#withLegs(chain.at(-1)!)
    const legs = [...chain.slice(0, -1), last].findLast((link) => link.legs?.length)?.legs ?? []
    return legs
      .map((leg) => readWire(wireOrder, leg, 'part of an order'))
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  }

  async #stopsFrom(legs: readonly WireOrder[], seen: WireOrder | null): Promise<Chain> {
    const isNewer = (leg: WireOrder): boolean =>
      seen?.id === leg.id && compare(seen.filled_qty, leg.filled_qty) > 0
    const told = legs.map((leg) => (isNewer(leg) ? seen! : leg))
    const now = told.findLast((leg) => leg.status !== 'replaced') ?? told.at(-1)!
    const chain = await this.replacements.chainFrom(now)
    const ids = new Set(chain.map(({ id }) => id))
    return [...told.filter(({ id }) => !ids.has(id)), ...chain]
  }

  /** Null where the target is not found: Alpaca does not name it. */
  async #targetOf(stop: WireOrder): Promise<WireOrder | null> {
    const placed = placedAs(stop.client_order_id)
    // A stop that we have moved has our name.
    if (placed !== null) return this.#requests.byName(placed)
    const known = this.#targets.get(stop.id) ?? (stop.replaces ? this.#targets.get(stop.replaces) : undefined)
    if (known !== undefined) return known === null ? null : this.#requests.byId(known)
    const target = stop.replaces ? await this.#targetOfReplaced(stop.replaces) : await this.#findTarget(stop)
    this.#targets.set(stop.id, target?.id ?? null)
    return target
  }

  async #targetOfReplaced(id: string): Promise<WireOrder | null> {
    const before = await this.#requests.byId(id)
    return before && this.#targetOf(before)
  }

  async #findTarget({ id, symbol, created_at }: WireOrder): Promise<WireOrder | null> {
    const around = (ms: number): string => new Date(Date.parse(created_at) + ms).toISOString()
    const query = { symbol, from: around(-PAIR_WITHIN_MS), until: around(PAIR_WITHIN_MS), nested: true }
    for await (const page of this.#requests.ofSymbol(query))
      for (const raw of page)
        if (raw.order_class === 'oco' && raw.legs?.some((leg) => (leg as { id?: unknown } | null)?.id === id))
          return wireOrder.safeParse(raw).data ?? null
    return null
  }
}

const isPair = ({ order_class }: WireOrder): boolean => order_class === 'oco'
const isTarget = ({ type }: WireOrder): boolean => type === 'limit'
