import { EXIT_MEETS_OWN_ORDER } from '../signal/advisory.ts'
import type { EntryTerms } from '../risk/entry-verdict.ts'
import { oppositeOrderAction } from '../order/opposite-orders.ts'
import { isReducing } from '../order/order.ts'
import { ENTRY_SIDE, EXIT_SIDE, isOpening } from '../signal/signal.ts'
import { nameOfOrder, rests, type LiveOrder } from '../position/symbol-state.ts'

/** `hasStop`: a stop follows its fill. `isFilling`: a part filled a moment ago. */
export type WorkingOrder = LiveOrder & { hasStop: boolean; isFilling: boolean }

/**
 * Advice about orders that an exit would meet: brokers reject it at market, or at a crossing limit, beside a resting
 * opposite order.
 */
export function obstaclesOf(
  { action, exit, protection, orderType, timeInForce }: EntryTerms,
  { working }: { working: readonly WorkingOrder[] },
): { code: string; message: string }[] {
  if (!isOpening(action)) return []
  const hasStop = protection !== undefined && (protection.stop !== null || protection.trail !== null)
  const resting = working.filter((order) => !isReducing(order.side) && rests(order))
  const book = { live: resting, asOf: '' }
  const advice = (message: string) => ({ code: EXIT_MEETS_OWN_ORDER, message })
  const namesOf = (orders: readonly LiveOrder[]): string => orders.map(nameOfOrder).join(', ')
  const stops = resting.filter(({ hasStop, side }) => hasStop && side === ENTRY_SIDE[action])
  const isTakenOff =
    rests({ orderType, timeInForce }) && stops.length > 0
      ? [
          advice(
            `This order rests on the other side of the stop that follows a fill of ${namesOf(stops)}. It is cancelled before that is placed`,
          ),
        ]
      : []
  for (const order of [exit, hasStop ? STOP_OF_EXIT : null]) {
    const met = order && oppositeOrderAction({ side: EXIT_SIDE[action], ...order }, book, null)
    if (met?.what !== 'cancel') continue
    const names = namesOf(met.orders)
    const message =
      order === exit
        ? `Orders rest on the other side of the exit: ${names}. An exit at market goes round them at a limit where it can; otherwise they are cancelled when it is due`
        : `Orders rest on the other side of the stop: ${names}. They are cancelled before it is placed`
    return [advice(message), ...isTakenOff]
  }
  return isTakenOff
}

const STOP_OF_EXIT = { orderType: 'stop', timeInForce: 'gtc', limitPrice: null } as const
