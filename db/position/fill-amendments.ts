import { fillAmended } from '#domain/alert/broker-alerts.ts'
import { compare, decimal, type Decimal } from '#domain/money/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { amendedEntry } from '#domain/signal/timeline.ts'
import { raiseAlert } from '../alert/alerts.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { fineInstantSql, type ChangedFill, type FillAccount, keepTrades } from './trade-keeping.ts'

export interface FillAmendment {
  executionId: string
  /** Null for a bust. Shares; dollars a share; some brokers keep the id. */
  corrected: { executionId: string; quantity: Decimal; price: Decimal } | null
}

/** Fill, trades, order and alert in one transaction. False when known already. */
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
       -- Of a correction under the same id there may be more than one.
       on conflict (account_id, execution_id) do update set corrected = excluded.corrected, amended_at = now()
       where fill_amendments.corrected->>'executionId' = fill_amendments.execution_id
         and fill_amendments.corrected is distinct from excluded.corrected
       returning execution_id`,
      [accountId, userId, executionId, corrected === null ? null : toStorableJson(corrected)],
    )
    if (news.length === 0) return false
    await keepTrades(inner, account, await changeFill(inner, accountId, amendment))
    await lowerOrder(inner, accountId, report, amendment)
    return true
  })
}

/** Later fills change too: the filled quantity allots the reserved shares. */
async function changeFill(
  em: EntityManager,
  accountId: string,
  { executionId, corrected }: FillAmendment,
): Promise<ChangedFill[]> {
  const before = `select f.execution_id, f.quantity, f.order_filled, f.broker_order_id from fills f
    where f.account_id = ? and f.execution_id = ?`
  const columns = `f.symbol, ${fineInstantSql('f.at')} as at, before.broker_order_id, before.order_filled,
    before.quantity`
  const changed = await em.execute<
    (ChangedFill & { broker_order_id: string | null; order_filled: Decimal; quantity: Decimal })[]
  >(
    corrected === null
      ? `with before as (${before})
         delete from fills f using before where f.account_id = ? and f.execution_id = before.execution_id
         returning ${columns}`
      : `with before as (${before})
         update fills f set execution_id = ?, quantity = ?::numeric, price = ?::numeric,
           order_filled = before.order_filled - before.quantity + ?::numeric
         from before where f.account_id = ? and f.execution_id = before.execution_id
         returning ${columns}`,
    corrected === null
      ? [accountId, executionId, accountId]
      : [
          accountId,
          executionId,
          corrected.executionId,
          corrected.quantity,
          corrected.price,
          corrected.quantity,
          accountId,
        ],
  )
  for (const { broker_order_id: orderId, order_filled: filled, quantity } of changed)
    await em.execute(
      `update fills set order_filled = order_filled - ?::numeric + ?::numeric
       where account_id = ? and broker_order_id = ? and order_filled > ?::numeric and execution_id <> ?`,
      [
        quantity,
        corrected?.quantity ?? '0',
        accountId,
        orderId,
        filled,
        corrected?.executionId ?? executionId,
      ],
    )
  return changed.map(({ symbol, at }) => ({ symbol, at }))
}

export interface UnlistedFills {
  brokerOrderId: string
  filled: Decimal
  fills: { executionId: string; quantity: Decimal }[]
}

/** Fills by order, executed from `since`, stored before `storedBefore`, unlisted. */
export async function unlistedFills(
  em: EntityManager,
  { accountId }: FillAccount,
  { since, storedBefore }: { since: string; storedBefore: string },
  listed: Iterable<string>,
): Promise<UnlistedFills[]> {
  const rows = await em.execute<UnlistedFills[]>(
    `select f.broker_order_id as "brokerOrderId",
       (select sum(g.quantity)::text from fills g
        where g.account_id = ? and g.broker_order_id = f.broker_order_id) as filled,
       json_agg(json_build_object('executionId', f.execution_id, 'quantity', f.quantity::text)
         order by f.at desc, f.order_filled desc) as fills
     from fills f
     where f.account_id = ? and f.at >= ?::timestamptz and f.recorded_at < ?::timestamptz
       and f.broker_order_id is not null
       and f.execution_id not in (select jsonb_array_elements_text(?::jsonb))
     group by f.broker_order_id`,
    [accountId, accountId, since, storedBefore, toStorableJson([...listed])],
  )
  return rows.map(({ brokerOrderId, filled, fills }) => ({
    brokerOrderId,
    filled: decimal(filled),
    fills: fills.map(({ executionId, quantity }) => ({ executionId, quantity: decimal(quantity) })),
  }))
}

interface CorrectedFill {
  brokerOrderId: string
  amendment: FillAmendment
}

export async function correctedFills(
  em: EntityManager,
  { accountId }: FillAccount,
  storedBefore: string,
  listed: readonly Execution[],
): Promise<CorrectedFill[]> {
  const rows = await em.execute<{ execution_id: string; broker_order_id: string }[]>(
    `select f.execution_id, f.broker_order_id from fills f
     join jsonb_to_recordset(?::jsonb) as x ("executionId" text, quantity numeric(20,9), price numeric(20,9))
       on x."executionId" = f.execution_id
     where f.account_id = ? and f.recorded_at < ?::timestamptz and f.broker_order_id is not null
       and (f.quantity <> x.quantity or f.price <> x.price)
     order by f.at, f.order_filled`,
    [toStorableJson(listed), accountId, storedBefore],
  )
  const byId = new Map(listed.map((execution) => [execution.executionId, execution]))
  return rows.map(({ execution_id: executionId, broker_order_id: brokerOrderId }) => {
    const { quantity, price } = byId.get(executionId)!
    return { brokerOrderId, amendment: { executionId, corrected: { executionId, quantity, price } } }
  })
}

async function lowerOrder(
  em: EntityManager,
  accountId: string,
  report: OrderReport,
  amendment: FillAmendment,
): Promise<void> {
  const [order] = await em.execute<
    { id: string; signal_id: string; role: string; filled: Decimal; executed: Decimal | null }[]
  >(
    // A report lacks a replaced order's whole quantity; executions have it.
    `select id, signal_id, role, filled_quantity::text as filled,
       case when (select count(*) from order_broker_ids b where b.order_id = orders.id) > 1 then
         (select coalesce(sum(f.quantity), 0)::text from fills f join order_broker_ids b using (account_id, broker_order_id)
          where b.order_id = orders.id) end as executed
     from orders where account_id = ? and client_order_id = ?`,
    [accountId, report.clientOrderId],
  )
  if (!order) return
  const before = decimal(order.filled)
  const { executed } = order
  const told =
    executed !== null && compare(executed, report.filledQuantity) > 0
      ? decimal(executed)
      : report.filledQuantity
  // A late report may be outdated: an amendment never raises a quantity.
  const now = compare(told, before) < 0 ? told : before
  await em.execute('select id from signals where id = ? for no key update', [order.signal_id])
  await em.execute(
    `update orders set filled_quantity = ?, avg_fill_price = ?, revision = revision + 1, updated_at = now(),
       status = case when status = 'FILLED' and ?::numeric < quantity then 'CANCELLED' else status end
     where id = ?`,
    [now, report.avgFillPrice, now, order.id],
  )
  if (order.role !== 'exit')
    await em.execute(
      'update signals set filled_quantity = ?, avg_fill_price = ?, updated_at = now() where id = ?',
      [now, report.avgFillPrice, order.signal_id],
    )
  const at = new Date().toISOString()
  const entry = amendedEntry(at, report, amendment.executionId, { before, now })
  await em.execute(
    `insert into signal_events (signal_id, key, kind, at, message, data)
     select signal_id, ?, ?, ?::timestamptz, ?, ?::jsonb from orders where id = ? on conflict do nothing`,
    [entry.key, entry.kind, entry.at, entry.message, toStorableJson(entry.data ?? null), order.id],
  )
  const subject = { accountId, signalId: order.signal_id }
  const [position] = await em.execute<{ held: Decimal }[]>(
    `select coalesce(sum(case side when 'BUY' then quantity else -quantity end), 0)::text as held
     from fills where account_id = ? and symbol = ?`,
    [accountId, report.symbol],
  )
  const held = decimal(position!.held)
  const isCorrected = amendment.corrected !== null
  await raiseAlert(em, subject, fillAmended(report.symbol, { before, now, held }, isCorrected))
}
