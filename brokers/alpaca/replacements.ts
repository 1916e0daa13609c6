import { BrokerOutcomeUnknown } from '../port.ts'
import { Memo } from './reads.ts'
import { placedAs } from './names.ts'
import type { OrderRequests } from './order-requests.ts'
import { ownOrigin, type Origin } from './orders.ts'
import type { Chain } from './parts.ts'
import { wireOrder, type WireOrder } from './wire.ts'

/** Later links are read as a list. */
const STEPS_ON = 3
/** A longer chain is a loop. */
const MAX_STEPS_BACK = 50
const MAX_LISTS = 20

/**
 * Predecessors and successors of an order: Alpaca makes a new one at each change. A stop that follows the price becomes
 * a thousand of them, so they take a few requests at most.
 */
export class Replacements {
  readonly #requests: OrderRequests
  readonly #origins = new Memo<Origin>()
  readonly #latest = new Memo<string>()

  constructor(requests: OrderRequests) {
    this.#requests = requests
  }

  note(replaced: string, by: string): void {
    this.#latest.set(replaced, by)
  }

  /** Last known successor; the order itself without one. */
  latestOf(id: string): string {
    const passed: string[] = []
    let last = id
    for (
      let next = this.#latest.get(last);
      next !== undefined && next !== last;
      next = this.#latest.get(last)
    ) {
      passed.push(last)
      last = next
    }
    for (const each of passed) this.#latest.set(each, last)
    return last
  }

  async originOf(order: WireOrder): Promise<Origin> {
    const passed: string[] = []
    for (let link = order; passed.length < MAX_STEPS_BACK; link = await this.#read(link.replaces!)) {
      const known = this.#origins.get(link.id) ?? originIn(link)
      if (known) {
        for (const id of passed) this.#origins.set(id, known)
        return known
      }
      passed.push(link.id)
    }
    throw new BrokerOutcomeUnknown(`Order ${order.id} has replaced more than ${MAX_STEPS_BACK} others`)
  }

  async chainFrom(order: WireOrder): Promise<Chain> {
    // A late replacement is rejected, while its order lives on.
    if (order.status === 'rejected' && order.replaces) {
      this.#latest.set(order.replaces, order.replaces)
      return this.chainFrom(await this.#read(order.replaces))
    }
    const chain = [order]
    for (let steps = 0; chain.at(-1)!.status === 'replaced'; steps++) {
      const { id, replaced_by } = chain.at(-1)!
      if (!replaced_by) throw new BrokerOutcomeUnknown(`Order ${id} was replaced by an unnamed other`)
      if (steps < STEPS_ON) chain.push(await this.#read(this.#nextOf(id, replaced_by)))
      else await this.#listInto(chain)
    }
    for (const { id } of chain.slice(0, -1)) this.#latest.set(id, chain.at(-1)!.id)
    return chain
  }

  #nextOf(id: string, replacedBy: string): string {
    const latest = this.latestOf(id)
    return latest === id ? replacedBy : latest
  }

  /** Adds the successors of the last link from the list of the symbol's orders. */
  async #listInto(chain: WireOrder[]): Promise<void> {
    const { id, symbol, submitted_at, created_at } = chain.at(-1)!
    const listed = new Map<string, WireOrder>()
    let pages = 0
    for await (const page of this.#requests.ofSymbol({
      symbol,
      from: submitted_at ?? created_at,
      nested: false,
    })) {
      for (const raw of page) {
        const order = wireOrder.safeParse(raw).data
        if (order) listed.set(order.id, order)
      }
      for (let last = chain.at(-1)!; last.status === 'replaced'; last = chain.at(-1)!) {
        const next = listed.get(last.replaced_by ?? '')
        if (!next) break
        listed.delete(next.id)
        chain.push(next)
      }
      pages++
      if (chain.at(-1)!.status !== 'replaced' || pages >= MAX_LISTS) break
    }
    if (chain.at(-1)!.status === 'replaced')
      throw new BrokerOutcomeUnknown(`The broker does not list what has replaced order ${id}`)
  }

  async #read(id: string): Promise<WireOrder> {
    const order = await this.#requests.byId(id)
    if (!order)
      throw new BrokerOutcomeUnknown(`The broker has no order ${id}, which replaces or was replaced`)
    return order
  }
}

/** Null for a replacement under a foreign name. */
function originIn(order: WireOrder): Origin | null {
  const name = placedAs(order.client_order_id)
  if (name !== null) return { ...ownOrigin(order), clientOrderId: name }
  return order.replaces ? null : ownOrigin(order)
}
