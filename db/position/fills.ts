import { decimal, type Decimal, compare, isZero, magnitude, negate, subtract } from '#domain/money/decimal.ts'
import { feesOfDay } from '#domain/money/fill-fees.ts'
import type { Fee, Execution } from '#domain/order/fill.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { exchangeDaySql, exchangeMidnightSql } from '../engine/day-starts.ts'
import {
  fillsBetween,
  fineInstantSql,
  type ChangedFill,
  type FillAccount,
  attachOrders,
  insertFills,
  keepTrades,
} from './trade-keeping.ts'
import { executionsUnreadable } from '#domain/alert/alert.ts'
import { raiseAlert, resolveAlert } from '../alert/alerts.ts'
import type { HeldPosition } from '#domain/position/symbol-state.ts'
import { instantOf, type StoredInstant } from '../engine/query.ts'

/** Returns fills with changed fees. */
async function chargeFees(
  em: EntityManager,
  account: FillAccount,
  fees: readonly Fee[],
  added: readonly { executionId: string }[],
): Promise<ChangedFill[]> {
  const stored = await storeFees(em, account, fees)
  const days = await daysOf(em, account.accountId, stored, added)
  const changed: ChangedFill[] = []
  for (const day of days) changed.push(...(await chargeDay(em, account.accountId, day)))
  return changed
}

async function storeFees(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  fees: readonly Fee[],
): Promise<string[]> {
  if (fees.length === 0) return []
  const last = new Map(fees.map((fee) => [fee.feeId, fee]))
  const rows = await em.execute<{ fee_id: string }[]>(
    `insert into fees (account_id, user_id, fee_id, execution_id, day, amount, kind)
     select ?, ?, x."feeId", x."executionId", x.day, x.amount, x.kind
     from jsonb_to_recordset(?::jsonb) as x ("feeId" text, "executionId" text, day date, amount numeric, kind text)
     on conflict (account_id, fee_id) do update set amount = excluded.amount where fees.amount <> excluded.amount
     returning fee_id`,
    [accountId, userId, toStorableJson([...last.values()])],
  )
  return rows.map((row) => row.fee_id)
}

async function daysOf(
  em: EntityManager,
  accountId: string,
  feeIds: readonly string[],
  added: readonly { executionId: string }[],
): Promise<string[]> {
  if (feeIds.length === 0 && added.length === 0) return []
  const ofFill = exchangeDaySql('f.at')
  const rows = await em.execute<{ day: string }[]>(
    `select coalesce(${ofFill}, x.day)::text as day
     from fees x left join fills f on f.account_id = x.account_id and f.execution_id = x.execution_id
     where x.account_id = ? and x.fee_id in (select jsonb_array_elements_text(?::jsonb))
     union
     select ${ofFill}::text from fills f
     where f.account_id = ? and f.execution_id in (select jsonb_array_elements_text(?::jsonb)) and exists (
       select from fees x where x.account_id = f.account_id
         and (x.day = ${ofFill} or x.execution_id = f.execution_id))`,
    [
      accountId,
      toStorableJson(feeIds),
      accountId,
      toStorableJson(added.map(({ executionId }) => executionId)),
    ],
  )
  return rows.map(({ day }) => day)
}

async function chargeDay(em: EntityManager, accountId: string, day: string): Promise<ChangedFill[]> {
  const bounds = [exchangeMidnightSql('?::date'), exchangeMidnightSql('?::date + 1')] as const
  const fills = await fillsBetween(em, accountId, bounds, [day, day])
  const rows = await em.execute<
    { fee_id: string; execution_id: string | null; amount: Decimal; kind: Fee['kind'] }[]
  >(
    `select fee_id, execution_id, amount::text, kind from fees
     where account_id = ? and (execution_id is null and day = ? or execution_id in (
       select f.execution_id from fills f where f.account_id = ? and f.at >= ${bounds[0]} and f.at < ${bounds[1]}))
     order by fee_id`,
    [accountId, day, accountId, day, day],
  )
  const fees = rows.map((row) => ({
    feeId: row.fee_id,
    executionId: row.execution_id,
    day,
    amount: decimal(row.amount),
    kind: row.kind,
  }))
  const charged = [...feesOfDay(fills, fees)].map(([executionId, amount]) => ({ executionId, amount }))
  return em.execute(
    `update fills f set fees = x.amount
     from jsonb_to_recordset(?::jsonb) as x ("executionId" text, amount numeric)
     where f.account_id = ? and f.execution_id = x."executionId" and f.fees <> x.amount
     returning f.symbol, ${fineInstantSql('f.at')} as at`,
    [toStorableJson(charged), accountId],
  )
}

export interface UnreadExecution {
  executionId: string
  detail: string
}

const EXECUTIONS_NAMED = 20

export async function unreadExecutions(em: EntityManager, accountId: string): Promise<UnreadExecution[]> {
  return em.execute(
    `select execution_id as "executionId", detail from unread_executions where account_id = ?
     order by first_seen_at, execution_id limit ${EXECUTIONS_NAMED}`,
    [accountId],
  )
}

/** The alert ends with the last execution read (`read`: ids). In a transaction that locks the account. */
async function noteUnreadExecutions(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  unreadable: readonly UnreadExecution[],
  read: readonly string[],
): Promise<void> {
  const news = await em.execute<unknown[]>(
    `insert into unread_executions (account_id, user_id, execution_id, detail)
     select ?, ?, x."executionId", x.detail
     from jsonb_to_recordset(?::jsonb) as x ("executionId" text, detail text)
     on conflict do nothing returning execution_id`,
    [accountId, userId, toStorableJson(unreadable)],
  )
  const readNow = await em.execute<unknown[]>(
    `delete from unread_executions
     where account_id = ? and execution_id in (select jsonb_array_elements_text(?::jsonb)) returning execution_id`,
    [accountId, toStorableJson(read)],
  )
  if (news.length === 0 && readNow.length === 0) return
  const left = await unreadExecutions(em, accountId)
  const subject = { accountId, signalId: null }
  if (left.length === 0) await resolveAlert(em, subject, 'execution_unreadable')
  else if (news.length > 0) await raiseAlert(em, subject, executionsUnreadable(left))
}

export interface FillProgress {
  /** UTC end of the last listing of fills, or the account's creation. */
  since: string
  /** Read to the end once; earlier holdings are in the ledger. */
  isOpened: boolean
}

export async function fillProgress(em: EntityManager, accountId: string): Promise<FillProgress | null> {
  const [row] = await em.execute<{ since: StoredInstant; is_opened: boolean }[]>(
    `select coalesce(c.listed_until, a.created_at) as since, c.account_id is not null as is_opened
     from accounts a left join fill_cursors c on c.account_id = a.id where a.id = ?`,
    [accountId],
  )
  return row ? { since: instantOf(row.since), isOpened: row.is_opened } : null
}

export interface ListedFills {
  fills: readonly Execution[]
  fees: readonly Fee[]
  unreadable?: readonly UnreadExecution[]
  /** Fills are listed up to this UTC instant; null: unchanged. */
  until: string | null
}

/** Records fills in one repeatable transaction under the account's lock. Returns the number of new executions. */
export async function recordFills(
  em: EntityManager,
  account: FillAccount,
  { fills, fees, unreadable = [], until }: ListedFills,
): Promise<number> {
  return em.fork().transactional(async (inner) => {
    await holdAccount(inner, account.accountId)
    const added = await insertFills(inner, account, fills)
    const attached = await attachOrders(inner, account.accountId)
    const charged = await chargeFees(inner, account, fees, added)
    await keepTrades(inner, account, [...added, ...attached, ...charged])
    if (unreadable.length > 0 || added.length > 0)
      await noteUnreadExecutions(
        inner,
        account,
        unreadable,
        added.map(({ executionId }) => executionId),
      )
    if (until !== null)
      await inner.execute(
        `update fill_cursors set listed_until = ?::timestamptz where account_id = ? and listed_until < ?::timestamptz`,
        [until, account.accountId, until],
      )
    return added.length
  })
}

type Holding = Pick<HeldPosition, 'symbol' | 'side' | 'quantity' | 'avgCost'>

/** Once, after the first complete reading: other holdings count as opened at their cost. */
export async function openFillLedger(
  em: EntityManager,
  account: FillAccount,
  holdings: readonly Holding[],
): Promise<void> {
  await em.fork().transactional(async (inner) => {
    await holdAccount(inner, account.accountId)
    const opened = await inner.execute<unknown[]>(
      `insert into fill_cursors (account_id, listed_until)
       select id, coalesce((select max(at) from fills where account_id = id), created_at) from accounts where id = ?
       on conflict do nothing returning account_id`,
      [account.accountId],
    )
    if (opened.length === 0) return
    const [{ since } = { since: '' }] = await inner.execute<{ since: string }[]>(
      `select ${fineInstantSql('created_at')} as since from accounts where id = ?`,
      [account.accountId],
    )
    const traded = await inner.execute<{ symbol: string; quantity: Decimal }[]>(
      `select symbol, sum(case side when 'BUY' then quantity else -quantity end)::text as quantity
       from fills where account_id = ? group by symbol`,
      [account.accountId],
    )
    const known = new Map(traded.map(({ symbol, quantity }) => [symbol, quantity]))
    const before = holdings.flatMap((held) => heldBefore(held, known.get(held.symbol) ?? '0', since))
    const added = await insertFills(inner, account, before)
    await keepTrades(inner, account, added)
  })
}

function heldBefore({ symbol, side, quantity, avgCost }: Holding, traded: Decimal, at: string): Execution[] {
  const beyond = subtract(side === 'LONG' ? quantity : negate(quantity), traded)
  if (isZero(beyond)) return []
  const opening = {
    executionId: `held-before-${symbol}`,
    brokerOrderId: null,
    symbol,
    side: compare(beyond, '0') > 0 ? ('BUY' as const) : ('SELL' as const),
    quantity: magnitude(beyond),
    price: avgCost,
    at,
    orderFilled: magnitude(beyond),
  }
  return [opening]
}

/** Submission of the oldest order with missing fills, changed since `changedSince` (UTC). */
export async function oldestUnexplained(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  changedSince: string,
): Promise<string | null> {
  const [row] = await em.execute<{ since: StoredInstant | null }[]>(
    `select min(o.submitted_at) as since from orders o
     where o.user_id = ? and o.account_id = ? and o.updated_at >= ?::timestamptz and o.filled_quantity > 0
       and o.filled_quantity > (select coalesce(sum(f.quantity), 0) from fills f where f.order_id = o.id)`,
    [userId, accountId, changedSince],
  )
  return row?.since ? instantOf(row.since) : null
}

/** Broker's ids of orders with more fills than the ledger knows; also foreign ones. */
export async function ordersBeyondLedger(
  em: EntityManager,
  { accountId }: FillAccount,
  recordedSince: string,
): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select distinct f.broker_order_id as id from fills f left join orders o on o.id = f.order_id
     where f.account_id = ? and f.broker_order_id is not null
       and f.at >= ?::timestamptz - interval '1 day' and f.recorded_at >= ?::timestamptz
       and (o.id is null or o.filled_quantity < (select sum(g.quantity) from fills g where g.order_id = o.id))`,
    [accountId, recordedSince, recordedSince],
  )
  return rows.map(({ id }) => id)
}

/** Writers of fills and trades lock the account's row. */
const holdAccount = (em: EntityManager, accountId: string): Promise<unknown> =>
  em.execute('select id from accounts where id = ? for no key update', [accountId])
