import { findAlerts, type KnownAlert } from './alerts.ts'
import type { EntityManager } from './database.ts'
import { Account, Order, Position, Signal, Trade } from './entities/index.ts'
import type { LiveTopic } from './live-events.ts'

/** Records as they stand, of each kind of which changes are told. */
export interface LiveRecords {
  signal: Signal[]
  order: Order[]
  position: Position[]
  account: Account[]
  alert: KnownAlert[]
  trade: Trade[]
}

/**
 * A user's records by their ids, in no order; those that are not there any more, or not the user's, are absent. One
 * connection is used for all kinds, so that those who watch do not take the pool from those who trade.
 */
export async function findLiveRecords(
  em: EntityManager,
  userId: string,
  ids: Readonly<Record<LiveTopic, string[]>>,
): Promise<LiveRecords> {
  const these = (topic: LiveTopic) => ({ id: { $in: ids[topic] }, userId })
  return em.transactional(async (inner) => ({
    signal: ids.signal.length > 0 ? await inner.find(Signal, these('signal')) : [],
    order: ids.order.length > 0 ? await inner.find(Order, these('order')) : [],
    position: ids.position.length > 0 ? await inner.find(Position, these('position')) : [],
    account: ids.account.length > 0 ? await inner.find(Account, these('account')) : [],
    alert: ids.alert.length > 0 ? await findAlerts(inner, userId, ids.alert) : [],
    trade: ids.trade.length > 0 ? await inner.find(Trade, these('trade')) : [],
  }))
}
