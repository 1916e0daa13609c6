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

/**
 * What became of a stop that was to be moved. moved: it lies there now, or did already. kept: it is nearer to the market than that, or
 * another order lies at the broker by now. ended: the order has ended, or the broker does not know it. refused: the broker does not
 * change it, and it works as it was.
 */
export type StopMove = 'moved' | 'kept' | 'ended' | 'refused'

/**
 * Moves the stop of an exit plan at the broker, where it stays meanwhile: nearer to the market, never away from it. Safe to repeat; of
 * two who do it at once, what is noted counts in the end. The limit of a stop that has one keeps its distance. Throws as brokers do
 * when they do not answer.
 *
 * @param tracked as read a moment ago
 * @param stop dollars a share
 */
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

/** Somebody else has noted other prices meanwhile: those count. */
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

/** What the broker is asked for, so that an order of a plan has these figures. */
export const pricesOf = ({ limitPrice, stopPrice, stopLimitPrice, trail }: RestingOrder): OrderChange => ({
  ...(stopPrice !== null && { stopPrice }),
  ...(limitPrice !== null && { limitPrice }),
  ...(stopLimitPrice !== undefined && { stopLimitPrice }),
  ...(trail && { trail }),
})

/** The same order with its stop elsewhere; its limit, where the stop has one, goes along. */
function withStopAt(resting: RestingOrder, stopPrice: Decimal, by: Decimal): RestingOrder {
  const { orderType, limitPrice, stopLimitPrice } = resting
  return {
    ...resting,
    stopPrice,
    ...(orderType === 'stopLimit' && limitPrice !== null && { limitPrice: add(limitPrice, by) }),
    ...(stopLimitPrice !== undefined && { stopLimitPrice: add(stopLimitPrice, by) }),
  }
}
