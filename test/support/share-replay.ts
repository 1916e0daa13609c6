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
} from '#domain/decimal.ts'
import { manualOrderIdIn } from '#domain/manual-order.ts'
import { parseClientOrderId } from '#domain/order.ts'
import { isOpening, type Action } from '#domain/signal.ts'
import type { LedgerOrder } from './venue-desk.ts'

/** What the broker's ledger says of whose shares were sold, written down once more, apart from the code that is judged. */
export interface ShareReplay {
  /** Shares of each signal that others than its own exits have closed. */
  closedByOthers: ReadonlyMap<string, Decimal>
  /** What should not have happened, in words. */
  faults: readonly string[]
}

/** Shares that were set apart for a close; null for those of no signal. */
export interface SetApart {
  owner: string | null
  quantity: Decimal
}

interface Execution {
  order: LedgerOrder
  /** Shares, negative for a sale. */
  signed: Decimal
  at: string
}

type Role = 'entry' | 'exit' | 'close' | 'person' | 'stranger'

/**
 * Goes through the executions of a run, symbol by symbol.
 *
 * @param actionOf the action of a signal, by its id
 * @param takesOf the shares that were set apart for an order, by its client order id
 */
export function replayShares(
  orders: readonly LedgerOrder[],
  actionOf: (signalId: string) => Action | undefined,
  takesOf: (clientOrderId: string) => readonly SetApart[],
): ShareReplay {
  const closedByOthers = new Map<string, Decimal>()
  const faults: string[] = []
  for (const ofSymbol of Map.groupBy(orders, ({ symbol }) => symbol).values()) {
    /** By owner, in the order in which they came; the empty name is nobody's. */
    let held = new Map<string, Decimal>()
    let net: Decimal = '0'
    const takes = new Map(
      ofSymbol.map(({ client_order_id: id }) => [id, takesOf(id).map((one) => ({ ...one }))]),
    )
    for (const { order, signed } of inOrder(ofSymbol)) {
      const id = order.client_order_id
      const { role, owner } = partOf(id, actionOf)
      let left = magnitude(signed)
      const isClosing = !isZero(net) && compare(net, '0') !== compare(signed, '0')
      const take = (from: string, most: Decimal): void => {
        const part = smaller(smaller(held.get(from) ?? '0', most), left)
        if (!isPositive(part)) return
        held.set(from, subtract(held.get(from)!, part))
        left = subtract(left, part)
        if (from !== '' && role !== 'exit')
          closedByOthers.set(from, add(closedByOthers.get(from) ?? '0', part))
        if (role === 'exit' && from !== owner) faults.push(`${id} sold ${part} shares of ${from || 'nobody'}`)
      }
      if (isClosing) {
        if (role === 'exit') take(owner, left)
        for (const one of takes.get(id) ?? []) {
          const before = left
          take(one.owner ?? '', one.quantity)
          one.quantity = subtract(one.quantity, subtract(before, left))
        }
        const names = [...held.keys()]
        const signals = names.filter((name) => name !== '')
        for (const name of role === 'close' || role === 'entry' ? [...signals, ''] : ['', ...signals])
          take(name, left)
      }
      if (isPositive(left) && role !== 'entry' && role !== 'stranger' && (role !== 'person' || isClosing))
        faults.push(`${id} opened ${left} shares on the other side`)
      if (isPositive(left)) {
        if (isClosing) held = new Map()
        const opener = role === 'entry' ? owner : ''
        held.set(opener, add(held.get(opener) ?? '0', left))
      }
      net = add(net, signed)
    }
  }
  return { closedByOthers, faults }
}

function partOf(
  id: string,
  actionOf: (signalId: string) => Action | undefined,
): { role: Role; owner: string } {
  const identity = parseClientOrderId(id)
  if (!identity) return { role: manualOrderIdIn(id) === null ? 'stranger' : 'person', owner: '' }
  const action = actionOf(identity.signalId)
  if (identity.role === 'exit') return { role: 'exit', owner: identity.signalId }
  return { role: action !== undefined && !isOpening(action) ? 'close' : 'entry', owner: identity.signalId }
}

/** Of one instant what opens comes first: nothing can be closed before. */
function inOrder(orders: readonly LedgerOrder[]): Execution[] {
  const isClose = ({ position_intent: intent }: LedgerOrder): number => (intent.endsWith('_to_close') ? 1 : 0)
  return orders
    .flatMap((order) =>
      order.fills.map(({ qty, at }) => ({ order, signed: order.side === 'buy' ? qty : negate(qty), at })),
    )
    .toSorted((a, b) => a.at.localeCompare(b.at) || isClose(a.order) - isClose(b.order))
}
