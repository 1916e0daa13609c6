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
import { parseClientOrderId } from '#domain/order/order.ts'
import { isOpening, type Action } from '#domain/signal/signal.ts'
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
  /** Its id at the broker. */
  id: string
  /** Shares, negative for a sale. */
  signed: Decimal
  at: string
}

/** Shares that one execution opened; the empty name is nobody's. */
interface Lot {
  owner: string
  quantity: Decimal
}

type Role = 'entry' | 'exit' | 'close' | 'person' | 'stranger'

/**
 * Until the service has to know of a sale at the broker's own site, in milliseconds: an exit that was sized before sells all the
 * same, as far as other shares are held. Then these have changed places with the shares that were sold at the site. The
 * same holds as long as neither the sale is on record nor a purchase that makes up for it in the position that the broker shows.
 */
const SITE_KNOWN_WITHIN = 10_000

/** Shares of a signal that were sold at the site. */
interface SiteSale {
  owner: string
  quantity: Decimal
  at: string
  execution: string
}

/**
 * Goes through the executions of a run, symbol by symbol.
 *
 * @param actionOf the action of a signal, or that it is an order by hand, by its id
 * @param takesOf the shares that were set apart for an order, by its client order id
 * @param recordedAt when an execution came on record, by its id; undefined where nobody has noted it
 */
export function replayShares(
  orders: readonly LedgerOrder[],
  actionOf: (signalId: string) => Action | 'by hand' | undefined,
  takesOf: (clientOrderId: string) => readonly SetApart[],
  recordedAt: (executionId: string) => string | undefined = () => undefined,
): ShareReplay {
  const closedByOthers = new Map<string, Decimal>()
  const faults: string[] = []
  const isUnknown = (executionId: string, at: string): boolean => {
    const recorded = recordedAt(executionId)
    return recorded !== undefined && Date.parse(recorded) > Date.parse(at)
  }
  const count = (owner: string, part: Decimal): void =>
    void closedByOthers.set(owner, add(closedByOthers.get(owner) ?? '0', part))
  for (const ofSymbol of Map.groupBy(orders, ({ symbol }) => symbol).values()) {
    /** The oldest first: one signal may have filled before and after another. */
    let held: Lot[] = []
    let net: Decimal = '0'
    /** Shares of signals that were sold at the site, as far as no exit has sold others for them. */
    let atSite: SiteSale[] = []
    const reservedLots = new Map(
      ofSymbol.map(({ client_order_id: id }) => [id, takesOf(id).map((one) => ({ ...one }))]),
    )
    const executions = inOrder(ofSymbol)
    for (const { order, id: execution, signed, at } of executions) {
      const id = order.client_order_id
      const { role, owner } = partOf(id, actionOf)
      /** Neither it nor a purchase of shares that makes up for it was on record when this order was sent. */
      const isHidden = (sale: SiteSale): boolean =>
        isUnknown(sale.execution, order.created_at) &&
        executions.some(
          (other) =>
            compare(other.signed, '0') !== compare(signed, '0') &&
            other.at <= order.created_at &&
            isUnknown(other.id, order.created_at),
        )
      let left = magnitude(signed)
      const isClosing = !isZero(net) && compare(net, '0') !== compare(signed, '0')
      const take = (from: string, most: Decimal): void => {
        const before = left
        for (const lot of held) {
          if (lot.owner !== from) continue
          const off = smaller(smaller(lot.quantity, subtract(most, subtract(before, left))), left)
          lot.quantity = subtract(lot.quantity, off)
          left = subtract(left, off)
        }
        const part = subtract(before, left)
        if (!isPositive(part)) return
        if (from !== '' && role !== 'exit') count(from, part)
        if (role === 'stranger' && from !== '') atSite.push({ owner: from, quantity: part, at, execution })
        if (role !== 'exit' || from === owner) return
        const changed = smaller(part, soldAtSite(atSite, owner, order.created_at, isHidden))
        if (isPositive(changed)) {
          atSite = atSite.filter((sale) => sale.owner !== owner)
          count(owner, negate(changed))
          if (from !== '') count(from, changed)
        }
        const taken = subtract(part, changed)
        if (isPositive(taken)) faults.push(`${id} sold ${taken} shares of ${from || 'nobody'}`)
      }
      if (isClosing) {
        if (role === 'exit') take(owner, left)
        for (const one of reservedLots.get(id) ?? []) {
          const before = left
          take(one.owner ?? '', one.quantity)
          one.quantity = subtract(one.quantity, subtract(before, left))
        }
        const ofSignals = held.filter((lot) => lot.owner !== '')
        const unowned = held.filter((lot) => lot.owner === '')
        const isOfSignal = role === 'close' || role === 'entry'
        for (const lot of isOfSignal ? [...ofSignals, ...unowned] : [...unowned, ...ofSignals])
          take(lot.owner, lot.quantity)
      }
      if (isPositive(left) && role !== 'entry' && role !== 'stranger' && (role !== 'person' || isClosing))
        faults.push(`${id} opened ${left} shares on the other side`)
      if (isPositive(left)) {
        if (isClosing) held = []
        held.push({ owner: role === 'entry' ? owner : '', quantity: left })
      }
      net = add(net, signed)
    }
  }
  return { closedByOthers, faults }
}

/** Shares of a signal that were sold at the site when an order that was sent then could not know of it. */
const soldAtSite = (
  sales: readonly SiteSale[],
  owner: string,
  sentAt: string,
  isHidden: (sale: SiteSale) => boolean,
): Decimal =>
  sales
    .filter((sale) => sale.owner === owner)
    .filter((sale) => Date.parse(sentAt) < Date.parse(sale.at) + SITE_KNOWN_WITHIN || isHidden(sale))
    .map(({ quantity }) => quantity)
    .reduce<Decimal>(add, '0')

function partOf(
  id: string,
  actionOf: (signalId: string) => Action | 'by hand' | undefined,
): { role: Role; owner: string } {
  const identity = parseClientOrderId(id)
  if (!identity) return { role: 'stranger', owner: '' }
  const action = actionOf(identity.signalId)
  if (action === 'by hand') return { role: 'person', owner: '' }
  if (identity.role === 'exit') return { role: 'exit', owner: identity.signalId }
  return { role: action !== undefined && !isOpening(action) ? 'close' : 'entry', owner: identity.signalId }
}

/** Of one instant what opens comes first: nothing can be closed before. Then the order's id at the broker decides, as in the ledger. */
function inOrder(orders: readonly LedgerOrder[]): Execution[] {
  const isClose = ({ position_intent: intent }: LedgerOrder): number => (intent.endsWith('_to_close') ? 1 : 0)
  return orders
    .flatMap((order) =>
      order.fills.map(({ execution_id: id, qty, at }) => {
        const signed = order.side === 'buy' ? qty : negate(qty)
        return { order, id, signed, at }
      }),
    )
    .toSorted(
      (a, b) =>
        a.at.localeCompare(b.at) ||
        isClose(a.order) - isClose(b.order) ||
        a.order.id.localeCompare(b.order.id),
    )
}
