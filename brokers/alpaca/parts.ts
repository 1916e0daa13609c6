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
import {
  isTerminal,
  isWorking,
  type OrderLink,
  type OrderReport,
  type OrderStatus,
} from '#domain/order/order.ts'
import { placedAs } from './names.ts'
import { endOf, orderReport, orderStatus, type Origin } from './orders.ts'
import type { WireOrder } from './wire.ts'

/** The present order is last. */
export type Chain = readonly WireOrder[]

const linksOf = (chain: Chain): OrderLink[] =>
  chain.map(({ id, filled_qty }) => ({ brokerOrderId: id, filledQuantity: filled_qty }))

/** The largest figure is certain: Alpaca does not document whether a successor carries earlier fills. */
const filledOf = (chain: Chain): WireOrder =>
  chain.reduce((a, b) => (compare(b.filled_qty, a.filled_qty) >= 0 ? b : a))

const openOf = (chain: Chain): Decimal => {
  const { qty, filled_qty } = chain.at(-1)!
  return subtract(qty, filled_qty)
}

/** Successors of our changes have our names. */
const changedBy = (chains: readonly Chain[]): Pick<OrderReport, 'changedBy'> => {
  const replacing = chains.map((chain) => chain.at(-1)!).filter(({ replaces }) => replaces)
  if (replacing.length === 0) return {}
  return { changedBy: replacing.every(({ client_order_id: name }) => placedAs(name)) ? 'us' : 'others' }
}

const latest = (instants: readonly (string | null | undefined)[]): string | null =>
  instants.reduce<string | null>((last, each) => (each && (last === null || each > last) ? each : last), null)

export function reportOfChain(chain: Chain, origin: Origin): OrderReport {
  const last = chain.at(-1)!
  const { filled_qty, filled_avg_price, filled_at } = filledOf(chain)
  const qty = add(filled_qty, openOf(chain))
  return {
    ...orderReport({ ...last, qty, filled_qty, filled_avg_price, filled_at }, origin),
    links: linksOf(chain),
    ...changedBy([chain]),
  }
}

/** A part that ended because the other filled does not end the pair. */
export function reportOfPair(target: Chain, stop: Chain | null, origin: Origin): OrderReport {
  const chains = stop === null ? [target] : [target, stop]
  const parts = chains.map((chain) => ({ chain, last: chain.at(-1)!, filled: filledOf(chain) }))
  const filled = parts.map((part) => part.filled)
  const filled_qty = filled.reduce<Decimal>((sum, each) => add(sum, each.filled_qty), '0')
  const value = filled.reduce<Decimal>(
    (sum, each) => add(sum, multiply(each.filled_qty, each.filled_avg_price ?? '0')),
    '0',
  )
  const open = parts.map((part) => openOf(part.chain)).reduce((a, b) => smaller(a, b))
  const quantity = isPositive(open) ? add(filled_qty, open) : filled_qty
  const statuses = parts.map(({ last }) => orderStatus(last))
  const status = statusOfPair(statuses, filled_qty, quantity)
  const stopNow = stop?.at(-1)
  const filledAt = latest(filled.map((each) => each.filled_at))
  const changedAt = latest(parts.map(({ last }) => last.updated_at))
  return {
    ...orderReport(target.at(-1)!, origin),
    orderType: 'oco',
    quantity,
    stopPrice: stopNow?.stop_price ?? null,
    ...(stopNow?.limit_price && { stopLimitPrice: stopNow.limit_price }),
    status,
    filledQuantity: filled_qty,
    avgFillPrice: isPositive(filled_qty) ? divideDown(value, filled_qty, LEDGER_PLACES) : null,
    reason: parts.map(({ last }) => last.reject_reason).find((reason) => reason != null) ?? null,
    filledAt,
    endedAt: !isTerminal(status)
      ? null
      : status === 'FILLED'
        ? filledAt
        : latest(parts.map(({ last }) => endOf(last))),
    ...(changedAt !== null && { changedAt }),
    links: chains.flatMap(linksOf),
    ...changedBy(chains),
  }
}

/** The stop ended alone: nothing at the broker limits the loss. */
export function isStopLost(target: Chain, stop: Chain | null): boolean {
  const [order, last] = [target.at(-1)!, stop?.at(-1)]
  return (
    last !== undefined &&
    ['rejected', 'canceled', 'expired'].includes(last.status) &&
    isWorking(orderStatus(order))
  )
}

/** A pair works while either part does. */
function statusOfPair(parts: readonly OrderStatus[], filled: Decimal, quantity: Decimal): OrderStatus {
  if (isPositive(filled) && compare(filled, quantity) >= 0) return 'FILLED'
  const working = parts.filter(isWorking)
  if (working.length > 0)
    return isPositive(filled) ? 'PARTIALLY_FILLED' : working.includes('OPEN') ? 'OPEN' : working[0]!
  return (
    (['EXPIRED', 'REJECTED'] as const).find((status) => parts.includes(status)) ??
    // The part that has filled in full was for fewer shares than both.
    'CANCELLED'
  )
}
