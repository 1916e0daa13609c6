import { compare, isZero, magnitude, negate, subtract, type Decimal } from '#domain/decimal.ts'
import type { Execution, Fee } from '#domain/fill.ts'
import type { HeldPosition } from '#domain/position.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { chargeFees } from './fee-charging.ts'
import { attachOrders, fineInstantSql, insertFills, type FillAccount } from './fill-rows.ts'
import { keepTrades } from './trade-keeping.ts'
import { noteUnreadExecutions, type UnreadExecution } from './unread-executions.ts'

export interface FillProgress {
  /** UTC instant of the newest known one, or since when the account is followed. */
  since: string
  /** Read to the end at least once; earlier holdings are in the ledger. */
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
  /** UTC instant up to which everything is listed; null: unchanged. */
  until: string | null
}

/** In one transaction under the account's lock; repeatable. Returns how many executions were new. */
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

/** Once, after the first reading to the end: holdings beyond the fills count as opened at their cost. */
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

/** Submission of the oldest order with more filled than its fills, changed since `changedSince` (UTC). */
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

/** Broker's ids of orders with more fills, stored since an instant, than the ledger knows; also foreign orders. */
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
