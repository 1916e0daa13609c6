import { EXIT_MEETS_OWN_ORDER } from './advisory.ts'
import type { EntryTerms } from './entry-judgement.ts'
import { oppositeOrderAction } from './opposite-orders.ts'
import { EXIT_SIDE, isOpening } from './signal.ts'
import { nameOfOrder, rests, type LiveOrder } from './symbol-book.ts'

/** Brokers reject a market order while an order of the other side rests, and a limit order that would meet it. */
export function obstaclesOf(
  { action, exit, protection }: EntryTerms,
  { opening }: { opening: readonly LiveOrder[] },
): { code: string; message: string }[] {
  if (!isOpening(action)) return []
  const hasStop = protection !== undefined && (protection.stop !== null || protection.trail !== null)
  // Others are over before the exit is due; the instant does not matter for resting ones.
  const book = { live: opening.filter((order) => rests(order)), asOf: '' }
  for (const order of [exit, hasStop ? STOP_OF_PLAN : null]) {
    const met = order && oppositeOrderAction({ side: EXIT_SIDE[action], ...order }, book, null)
    if (met?.what !== 'cancel') continue
    const names = met.orders.map(nameOfOrder).join(', ')
    return [
      {
        code: EXIT_MEETS_OWN_ORDER,
        message:
          order === exit
            ? `Orders rest on the other side of the exit: ${names}. An exit at market goes round them at a limit where it can; otherwise they are cancelled when it is due`
            : `Orders rest on the other side of the stop: ${names}. They are cancelled before it is placed`,
      },
    ]
  }
  return []
}

const STOP_OF_PLAN = { orderType: 'stop', timeInForce: 'gtc', limitPrice: null } as const
