import type { Broker, OrderChange } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import {
  movedFrom,
  noteMoved,
  readProtection,
  type TrackedProtection,
  type WorkingExit,
} from '#db/signals/protections.ts'
import { add, subtract, type Decimal } from '#domain/decimal.ts'
import { isBetter, stopNow, type RestingOrder } from '#domain/protection.ts'
import { protectionMovedEntry, protectionMovedKey } from '#domain/protection-moves.ts'

/** kept: it is nearer to the market already, or another order is there. refused: it works as it was. */
export type StopMove = 'moved' | 'kept' | 'ended' | 'refused'

/** Only nearer to the market; safe to repeat. A stop's limit keeps its distance. `tracked`: as read a moment ago. */
export async function moveStop(
  em: EntityManager,
  broker: Pick<Broker, 'changeOrder' | 'getOrder'>,
  tracked: TrackedProtection,
  stop: Decimal,
): Promise<StopMove> {
  const { signalId, accountId, plan, position, best, resting, exit } = tracked
  const from = resting?.stopPrice ?? null
  if (plan === null || resting === null || from === null) return 'kept'
  if (exit === null || exit.purpose !== 'plan') return 'ended'
  if (!isBetter(position.side, stop, from)) return 'kept'
  const to = withStopAt(resting, stop, subtract(stop, from))
  const outcome = await broker.changeOrder(exit.brokerOrderId, pricesOf(to))
  if (outcome === 'refused') return 'refused'
  if (outcome !== 'requested') return 'ended'
  const at = new Date().toISOString()
  const first = (await movedFrom(em, signalId, protectionMovedKey(at))) ?? from
  const { by } = stopNow(plan, position, best) ?? { by: 'stop' }
  const entry = protectionMovedEntry(at, { from: first, to: stop, by, best })
  const isNoted = await noteMoved(em, tracked, to, entry)
  if (!isNoted) await restore(em, broker, tracked, exit)
  // The new id of the order is known from here on, also where the stream is away.
  const report = await broker.getOrder(exit.brokerOrderId)
  if (report !== null) await applyOrderReport(em, accountId, report)
  return isNoted ? 'moved' : 'kept'
}

async function restore(
  em: EntityManager,
  broker: Pick<Broker, 'changeOrder'>,
  { signalId, noted: before }: TrackedProtection,
  { orderId, brokerOrderId }: WorkingExit,
): Promise<void> {
  const now = await readProtection(em, signalId)
  const { noted, exit } = now ?? {}
  if (noted?.orderType === before?.orderType && exit?.orderId === orderId)
    await broker.changeOrder(brokerOrderId, pricesOf(noted!))
}

export const pricesOf = ({ limitPrice, stopPrice, stopLimitPrice, trail }: RestingOrder): OrderChange => ({
  ...(stopPrice !== null && { stopPrice }),
  ...(limitPrice !== null && { limitPrice }),
  ...(stopLimitPrice !== undefined && { stopLimitPrice }),
  ...(trail && { trail }),
})

function withStopAt(resting: RestingOrder, stopPrice: Decimal, by: Decimal): RestingOrder {
  const { orderType, limitPrice, stopLimitPrice } = resting
  return {
    ...resting,
    stopPrice,
    ...(orderType === 'stopLimit' && limitPrice !== null && { limitPrice: add(limitPrice, by) }),
    ...(stopLimitPrice !== undefined && { stopLimitPrice: add(stopLimitPrice, by) }),
  }
}
