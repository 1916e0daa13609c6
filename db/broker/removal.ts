import { choosePrimary } from './brokers.ts'
import type { EntityManager } from '../engine/database.ts'
import { UNPLACED, WORKING } from '../engine/query.ts'
import { BrokerConnection } from '../entities/index.ts'
import { isOutOfTouchSql } from '../position/positions.ts'
import { listOfKinds } from '../alert/alerts.ts'
import { lockUser } from '../identity/users.ts'

export interface BrokerUse {
  signals: number
  orders: number
  positions: number
}

/** Orders and positions of a broker long out of touch do not count. */
export async function removeBroker(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<'removed' | 'absent' | BrokerUse> {
  return em.transactional(async (inner) => {
    await lockUser(inner, userId)
    const [use] = await inner.execute<BrokerUse[]>(
      `select ${WAITING_SIGNALS} as signals,
         ${WORKING_ORDERS} as orders,
         case when t.out_of_touch then 0 else ${OPEN_POSITIONS} end as positions
       from (
         select b.id, bool_and(${isOutOfTouchSql('a', 'b')}) as out_of_touch
         from broker_connections b join accounts a on a.broker_id = b.id
         where b.id = ? and b.user_id = ? and b.deleted_at is null group by b.id) t`,
      [id, userId],
    )
    if (!use) return 'absent'
    if (use.signals + use.orders + use.positions > 0) return use
    const now = new Date()
    await inner.nativeUpdate(
      BrokerConnection,
      { id, userId },
      { sealedCredentials: null, deletedAt: now, updatedAt: now },
    )
    const ofConnection = 'account_id in (select id from accounts where broker_id = ? and user_id = ?)'
    await inner.execute(`delete from positions where ${ofConnection}`, [id, userId])
    await inner.execute(
      `update alerts set resolved_at = now()
       where ${ofConnection} and kind in ${listOfKinds('after a quiet minute')} and resolved_at is null`,
      [id, userId],
    )
    await inner.execute(
      `update accounts set is_active = false, is_primary = false, unrealised_pnl = 0, market_value = 0,
         updated_at = now()
       where broker_id = ? and user_id = ?`,
      [id, userId],
    )
    await choosePrimary(inner, userId)
    return 'removed'
  })
}

const OF_CONNECTION = 'account_id in (select id from accounts where broker_id = t.id)'

const WAITING_SIGNALS = `(
  select count(*)::int from signals
  where ${OF_CONNECTION} and ask is null and (status in ${UNPLACED}
    or status = 'executed' and exit_status in ('waiting', 'scheduled', 'submitted')))`

/** Unsent orders count even out of touch. */
const WORKING_ORDERS = `(
  select count(*)::int from orders
  where ${OF_CONNECTION} and end_acknowledged_at is null and status in ${WORKING}
    and (not t.out_of_touch or broker_order_id is null))`

const OPEN_POSITIONS = `(select count(*)::int from positions where ${OF_CONNECTION})`
