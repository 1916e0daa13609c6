import type { SignalStatus } from '#domain/signal-status.ts'
import type { Action } from '#domain/signal.ts'
import type { OrderType, TimeInForce } from '#domain/order.ts'
import type { EntityManager } from './database.ts'

/** What the books say, right before an entry is sent, about whether it may be. */
export interface EntryFacts {
  accountIsActive: boolean
  accountIsDemo: boolean
  tradingMode: 'PAPER' | 'LIVE'
  strategyStatus: 'active' | 'paused' | null
  /** The answer that was given before, if this is asked again. */
  frozen: unknown
  /** Earlier signals of the same account and symbol whose entry is under way, oldest first. */
  earlier: {
    id: string
    action: Action
    orderType: OrderType
    timeInForce: TimeInForce
    status: SignalStatus
  }[]
}

/** Everything in one statement: this runs before every entry. Null when there is no such signal. */
export async function readEntryFacts(em: EntityManager, signalId: string): Promise<EntryFacts | null> {
  const [row] = await em.execute<
    {
      is_active: boolean
      is_demo: boolean
      trading_mode: 'PAPER' | 'LIVE'
      strategy_status: 'active' | 'paused' | null
      frozen: unknown
      earlier: EntryFacts['earlier'] | null
    }[]
  >(
    `select a.is_active, a.is_demo, u.trading_mode, strategy.status as strategy_status,
       s.frozen -> 'entry' as frozen,
       (select json_agg(json_build_object('id', e.id, 'action', e.action, 'orderType', e.order_type,
            'timeInForce', e.time_in_force, 'status', e.status) order by e.sequence)
        from signals e
        where e.account_id = s.account_id and e.symbol = s.symbol and e.sequence < s.sequence
          and e.entry_ended_at is null and e.status in ('queued', 'transmitted', 'executed')) as earlier
     from signals s
     join accounts a on a.id = s.account_id
     join users u on u.id = s.user_id
     left join strategies strategy on strategy.id = s.strategy_id
     where s.id = ?`,
    [signalId],
  )
  if (!row) return null
  return {
    accountIsActive: row.is_active,
    accountIsDemo: row.is_demo,
    tradingMode: row.trading_mode,
    strategyStatus: row.strategy_status,
    frozen: row.frozen,
    earlier: row.earlier ?? [],
  }
}
