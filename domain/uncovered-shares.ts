import { add, isPositive, smaller, subtract, type Decimal } from './decimal.ts'
import { isExitAhead, type ExitStatus } from './exit.ts'
import { isWorking, type OrderReport, type OrderSide } from './order.ts'
import type { TradeSide } from './profit.ts'
import type { Action } from './signal.ts'

const CLOSED_BY = { LONG: 'SELL', SHORT: 'BUY_TO_COVER' } as const satisfies Record<TradeSide, OrderSide>
const OPENED_BY = { LONG: 'openLong', SHORT: 'openShort' } as const satisfies Record<TradeSide, Action>

export interface HeldShares {
  side: TradeSide
  quantity: Decimal
}

export interface SignalWithExit {
  action: Action
  filledQuantity: Decimal
  exitStatus: ExitStatus
}

export type OrderOnShares = Pick<OrderReport, 'side' | 'status' | 'quantity' | 'filledQuantity'>

export const closesShares = (held: HeldShares, { side, status }: OrderOnShares): boolean =>
  isWorking(status) && side === CLOSED_BY[held.side]

export const plansToClose = (held: HeldShares, { action, exitStatus }: SignalWithExit): boolean =>
  action === OPENED_BY[held.side] && isExitAhead(exitStatus)

/** No working order and no exit is going to close them. A sent exit counts by its order: a rejected one by nothing. */
export function uncoveredShares(
  held: HeldShares,
  signals: readonly SignalWithExit[],
  orders: readonly OrderOnShares[],
): Decimal {
  const planned = signals
    .filter((signal) => plansToClose(held, signal))
    .map((signal) => signal.filledQuantity)
  const working = orders
    .filter((order) => closesShares(held, order))
    .map((order) => subtract(order.quantity, order.filledQuantity))
  const covered = [...planned, ...working].filter(isPositive).reduce(add, '0')
  return subtract(held.quantity, smaller(covered, held.quantity))
}
