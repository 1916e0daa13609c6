import { fillAmended } from '#domain/alert.ts'
import { compare, decimal, type Decimal } from '#domain/decimal.ts'
import type { OrderReport } from '#domain/order.ts'
import { amendedEntry } from '#domain/timeline.ts'
import { raiseAlert } from '../risk/alerts.ts'
import type { EntityManager } from '../engine/database.ts'
import { fineInstantSql, type ChangedFill, type FillAccount } from './fill-rows.ts'
import { keepTrades } from './trade-keeping.ts'

/** An execution that its broker takes back (a bust), and what stands in its place after a correction. */
export interface FillAmendment {
  /** Of the execution that is taken back. */
  executionId: string
  /** Null for a bust. Shares, and dollars a share. */
  corrected: { executionId: string; quantity: Decimal; price: Decimal } | null
}

/**
 * Takes an execution out of the fills, or puts the corrected one in its place, works out the trades anew, and lowers
 * what the ledger says is filled of its order to what the broker says now; alerts the owner of an order of ours. All in
 * one transaction, and once however often it is told. Returns whether it was news.
 */
export async function amendFill(
  em: EntityManager,
  account: FillAccount,
  report: OrderReport,
  amendment: FillAmendment,
): Promise<boolean> {
  const { accountId, userId } = account
  const { executionId, corrected } = amendment
  return em.fork().transactional(async (inner) => {
    await inner.execute('select id from accounts where id = ? for no key update', [accountId])
    const news = await inner.execute<unknown[]>(
      `insert into fill_amendments (account_id, user_id, execution_id, corrected) values (?, ?, ?, ?::jsonb)
       on conflict do nothing returning execution_id`,
      [accountId, userId, executionId, corrected === null ? null : JSON.stringify(corrected)],
    )
    if (news.length === 0) return false
    const changed = await inner.execute<ChangedFill[]>(
      corrected === null
        ? `delete from fills where account_id = ? and execution_id = ? returning symbol, ${fineInstantSql('at')} as at`
        : `update fills set execution_id = ?, quantity = ?, price = ? where account_id = ? and execution_id = ?
           returning symbol, ${fineInstantSql('at')} as at`,
      corrected === null
        ? [accountId, executionId]
        : [corrected.executionId, corrected.quantity, corrected.price, accountId, executionId],
    )
    await keepTrades(inner, account, changed)
    await lowerOrder(inner, accountId, report, amendment)
    return true
  })
}

/** The order as its broker says now that it stands: also with less filled than was known. */
async function lowerOrder(
  em: EntityManager,
  accountId: string,
  report: OrderReport,
  amendment: FillAmendment,
): Promise<void> {
  const [order] = await em.execute<
    { id: string; signal_id: string | null; role: string; filled: string; quantity: string }[]
  >(
    `select id, signal_id, role, filled_quantity::text as filled, quantity::text from orders
     where account_id = ? and client_order_id = ?`,
    [accountId, report.clientOrderId],
  )
  if (!order) return
  const before = decimal(order.filled)
  // What comes late may be older than what is known: nothing becomes more by an amendment.
  const now = compare(report.filledQuantity, before) < 0 ? report.filledQuantity : before
  if (order.signal_id !== null)
    await em.execute('select id from signals where id = ? for no key update', [order.signal_id])
  await em.execute(
    `update orders set filled_quantity = ?, avg_fill_price = ?, revision = revision + 1, updated_at = now(),
       status = case when status = 'FILLED' and ?::numeric < quantity then 'CANCELLED' else status end
     where id = ?`,
    [now, report.avgFillPrice, now, order.id],
    'run',
  )
  if (order.signal_id !== null && order.role === 'entry')
    await em.execute(
      'update signals set filled_quantity = ?, avg_fill_price = ?, updated_at = now() where id = ?',
      [now, report.avgFillPrice, order.signal_id],
      'run',
    )
  const at = new Date().toISOString()
  const entry = amendedEntry(at, report.clientOrderId, amendment.executionId, { before, now })
  await em.execute(
    order.signal_id === null
      ? `insert into order_events (user_id, order_id, key, kind, at, message, data)
         select user_id, id, ?, ?, ?::timestamptz, ?, ?::jsonb from orders where id = ? on conflict do nothing`
      : `insert into signal_events (signal_id, key, kind, at, message, data)
         select signal_id, ?, ?, ?::timestamptz, ?, ?::jsonb from orders where id = ? on conflict do nothing`,
    [entry.key, entry.kind, entry.at, entry.message, JSON.stringify(entry.data ?? null), order.id],
    'run',
  )
  const subject = {
    accountId,
    signalId: order.signal_id,
    orderId: order.signal_id === null ? order.id : null,
  }
  await raiseAlert(em, subject, fillAmended(report.symbol, { before, now }, amendment.corrected !== null))
}
