import type { WorkingExit } from '#domain/broker-news.ts'
import { decimal, type Decimal } from '#domain/decimal.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { WORKING } from '../engine/status-lists.ts'

/**
 * SQL condition on orders `o` of signals `s`: an exit that is to fill at once, and is at the broker. Of one for the closing auction that
 * is the part of a share, behind which the whole shares wait.
 */
const IS_DUE_TO_FILL = `o.role = 'exit' and o.status in ${WORKING} and o.broker_order_id is not null
  and o.time_in_force <> 'cls' and o.client_order_id ~ '-x[0-9]+$'
  and coalesce(s.exit_rule ->> 'orderType', 'market') in ('market', 'moc')`

/** Exits at market that work at the broker. */
export async function exitsAtMarket(
  em: EntityManager,
  accountId: string,
): Promise<(WorkingExit & { signalId: string; submittedAt: string })[]> {
  const rows = await em.execute<
    (Omit<WorkingExit, 'quantity' | 'filledQuantity'> & {
      signalId: string
      quantity: Decimal
      filled: Decimal
      submitted_at: StoredInstant
    })[]
  >(
    `select o.signal_id as "signalId", o.client_order_id as "clientOrderId", o.symbol, o.side, o.quantity::text,
       o.filled_quantity::text as filled, o.submitted_at
     from orders o join signals s on s.id = o.signal_id
     where o.account_id = ? and ${IS_DUE_TO_FILL} order by o.submitted_at`,
    [accountId],
  )
  return rows.map(({ filled, submitted_at: submittedAt, ...exit }) => ({
    ...exit,
    quantity: decimal(exit.quantity),
    filledQuantity: decimal(filled),
    submittedAt: instantOf(submittedAt),
  }))
}

/** Ends the alerts of exits that have filled or ended. */
export async function endUnfilledExits(em: EntityManager, accountId: string): Promise<void> {
  await em.execute(
    `update alerts set resolved_at = now()
     where account_id = ? and kind = 'exit_unfilled' and resolved_at is null and not exists (
       select from orders o join signals s on s.id = o.signal_id
       where o.signal_id = alerts.signal_id and ${IS_DUE_TO_FILL})`,
    [accountId],
    'run',
  )
}
