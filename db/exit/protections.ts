import { decimal, type Decimal } from '#domain/money/decimal.ts'
import { keptBy, type ExitFigures, type Kept } from '#domain/exit/kept-levels.ts'
import { parseClientOrderId, timesReplaced, type OrderPurpose } from '#domain/order/order.ts'
import type { CrossedLevel, ProtectedPosition, Protection, RestingOrder } from '#domain/exit/protection.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { asArray, instantOf, type StoredInstant, WORKING } from '../engine/query.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { isConfirmed } from '../order/throttle.ts'

export interface TrackedProtection {
  signalId: string
  userId: string
  accountId: string
  symbol: string
  /** Null once removed. */
  protection: Protection | null
  revision: number
  /** Revision of the broker's order. */
  restingRevision: number
  position: ProtectedPosition
  /** First fill of the entry, by the broker's clock. */
  filledAt: string
  /** Best price since the entry, dollars a share. */
  best: Decimal
  price: { price: Decimal; at: string } | null
  /** The exit's order, at the broker's prices. */
  resting: RestingOrder | null
  /** The same order as last placed or moved here. */
  noted: RestingOrder | null
  /** Levels that the open exit order covers. */
  kept: Kept
  /** A reported level; null once the workflow has acted. */
  crossed: (CrossedLevel & { seenAt: string }) | null
  /** Shares that exits have not closed. */
  quantity: Decimal
  entryWorks: boolean
  exit: WorkingExit | null
}

interface WorkingExit extends ExitFigures {
  orderId: string
  clientOrderId: string
  brokerOrderId: string
  purpose: OrderPurpose
  open: Decimal
  moves: number
}

interface Row extends Omit<TrackedProtection, 'filledAt' | 'resting' | 'kept' | 'exit'> {
  filledAt: StoredInstant
  exit: (Omit<WorkingExit, 'purpose' | 'moves'> & { ids: number }) | null
}

const TRACKED = `select p.signal_id as "signalId", p.user_id as "userId", p.account_id as "accountId", p.symbol,
    s.protection, s.exit_revision as revision, p.resting_revision as "restingRevision",
    json_build_object('side', p.side, 'average', trim_scale(p.average_price)::text, 'fees', trim_scale(p.fees)::text) as position,
    trim_scale(p.best_price) as best,
    case when p.price is not null then json_build_object('price', trim_scale(p.price)::text, 'at', p.price_at) end as price,
    p.crossed, case when not exists (
      select from orders o where o.signal_id = s.id and o.role = 'exit' and o.status in ${WORKING} and not ${isConfirmed('o')}
    ) then p.resting end as noted,
    coalesce((
      select min(f.at) from fills f join orders o on o.id = f.order_id where o.signal_id = s.id and o.role = 'entry'), (
      select min(o.filled_at) from orders o where o.signal_id = s.id and o.role = 'entry'), p.opened_at) as "filledAt",
    trim_scale(greatest(s.filled_quantity - coalesce((
      select sum(o.filled_quantity) from orders o where o.signal_id = s.id and o.role = 'exit'), 0), 0)) as quantity,
    exists (
      select from orders o where o.signal_id = s.id and o.role = 'entry' and o.status in ${WORKING}) as "entryWorks",
    (select json_build_object('orderId', o.id, 'clientOrderId', o.client_order_id, 'brokerOrderId', o.broker_order_id,
       'orderType', o.order_type, 'timeInForce', o.time_in_force, 'open', trim_scale(o.quantity - o.filled_quantity)::text,
       'limitPrice', trim_scale(o.limit_price)::text, 'stopPrice', trim_scale(o.stop_price)::text,
       'stopLimitPrice', trim_scale(o.stop_limit_price)::text,
       'ids', (select count(*) from order_broker_ids b where b.order_id = o.id))
     from orders o
     where o.signal_id = s.id and o.role = 'exit' and o.status in ${WORKING} and o.broker_order_id is not null
       and ${isConfirmed('o')}
     order by o.created_at desc, o.id limit 1) as exit
  from protections p join signals s on s.id = p.signal_id
  where p.ended_at is null and`

/** A stop moved at the broker's site, or before a rollback of the ledger, has the broker's prices. */
function lying(noted: RestingOrder | null, exit: WorkingExit | null): RestingOrder | null {
  if (noted === null || exit === null) return noted
  const { stopPrice, limitPrice, stopLimitPrice } = exit
  return {
    ...noted,
    stopPrice: noted.stopPrice && (stopPrice ?? noted.stopPrice),
    limitPrice: noted.limitPrice && (limitPrice ?? noted.limitPrice),
    ...(noted.stopLimitPrice && { stopLimitPrice: stopLimitPrice ?? noted.stopLimitPrice }),
  }
}

function trackedOf({ exit: found, ...row }: Row): TrackedProtection {
  const exit = found && exitOf(found)
  const resting = lying(row.noted, exit)
  const price = row.price && { ...row.price, at: instantOf(row.price.at) }
  return { ...row, filledAt: instantOf(row.filledAt), price, resting, kept: keptBy(exit, resting), exit }
}

const exitOf = ({ ids, ...exit }: NonNullable<Row['exit']>): WorkingExit => ({
  ...exit,
  purpose: parseClientOrderId(exit.clientOrderId)!.purpose,
  moves: timesReplaced(exit, ids),
})

/** The best price begins with the average fill, again after an end. Null without levels or fill. */
export async function trackProtection(
  em: EntityManager,
  signalId: string,
): Promise<TrackedProtection | null> {
  await track(em, 's.id = ?', signalId)
  return readProtection(em, signalId)
}

export const trackFilling = (em: EntityManager, accountId: string): Promise<unknown> =>
  track(
    em,
    `s.id in (select o.signal_id from orders o
       where o.account_id = ? and o.end_acknowledged_at is null and o.role = 'entry')
     and not exists (select from protections p where p.signal_id = s.id and p.average_price = s.avg_fill_price)`,
    accountId,
  )

const track = (em: EntityManager, which: string, id: string): Promise<unknown> =>
  em.execute(
    `insert into protections (signal_id, user_id, account_id, symbol, side, average_price, best_price, resting_revision)
     select s.id, s.user_id, s.account_id, s.symbol, case s.action when 'openLong' then 'LONG' else 'SHORT' end,
       s.avg_fill_price, s.avg_fill_price, s.exit_revision
     from signals s
     where ${which} and s.protection is not null and s.filled_quantity > 0 and s.avg_fill_price is not null
       and s.action in ('openLong', 'openShort')
     on conflict (signal_id) do update set average_price = excluded.average_price, ended_at = null, updated_at = now(),
       -- A plan after the end counts from the fill.
       best_price = case when protections.ended_at is null then protections.best_price else excluded.best_price end,
       price = case when protections.ended_at is null then protections.price end,
       price_at = case when protections.ended_at is null then protections.price_at end
       where protections.average_price <> excluded.average_price or protections.ended_at is not null`,
    [id],
  )

export async function readProtection(em: EntityManager, signalId: string): Promise<TrackedProtection | null> {
  const [row] = await em.execute<Row[]>(`${TRACKED} p.signal_id = ?`, [signalId])
  return row ? trackedOf(row) : null
}

export async function listProtections(em: EntityManager, accountId: string): Promise<TrackedProtection[]> {
  return (await em.execute<Row[]>(`${TRACKED} p.account_id = ?`, [accountId])).map((row) => trackedOf(row))
}

export async function protectionsOf(
  em: EntityManager,
  userId: string,
  signalIds?: readonly string[],
): Promise<Map<string, TrackedProtection>> {
  if (signalIds?.length === 0) return new Map()
  const named = signalIds && asArray(signalIds)
  const rows = await queryRows<Row>(
    em,
    `${TRACKED} p.user_id = ?${named === undefined ? '' : ' and p.signal_id = any(?::uuid[])'}`,
    named === undefined ? [userId] : [userId, named],
  )
  return new Map(rows.map((row) => [row.signalId, trackedOf(row)]))
}

export async function accountsWithExits(em: EntityManager): Promise<Set<string>> {
  const rows = await em.execute<{ account_id: string }[]>(
    `select account_id from protections where ended_at is null
     union
     select o.account_id from orders o join signals s on s.id = o.signal_id
     where o.end_acknowledged_at is null and o.role = 'entry' and s.protection is not null and s.filled_quantity > 0`,
  )
  return new Set(rows.map(({ account_id }) => account_id))
}

/** Dollars a share; closing is assumed to cost as much as opening. */
export async function noteFees(em: EntityManager, accountId: string): Promise<void> {
  await em.execute(
    `update protections p set fees = paid.a_share, updated_at = now()
     from (
       select t.signal_id, round(2 * sum(t.fees - t.exit_fees) / sum(t.quantity), 9) as a_share
       from protections o join trades t on t.signal_id = o.signal_id
       where o.account_id = ? and o.ended_at is null group by t.signal_id) paid
     where p.signal_id = paid.signal_id and p.ended_at is null and p.fees <> paid.a_share`,
    [accountId],
  )
}

export interface SeenPrices {
  signalId: string
  best: Decimal
  price: Decimal
  /** UTC instant of the trade. */
  at: string
}

/** The best price never worsens. */
export async function noteSeen(em: EntityManager, seen: readonly SeenPrices[]): Promise<void> {
  if (seen.length === 0) return
  await em.execute(
    `update protections p set price = n.price, price_at = n.at,
       best_price = case p.side when 'LONG' then greatest(p.best_price, n.best) else least(p.best_price, n.best) end,
       updated_at = now()
     from jsonb_to_recordset(?::jsonb) as n ("signalId" uuid, best numeric, price numeric, at timestamptz)
     where p.signal_id = n."signalId" and p.ended_at is null`,
    [toStorableJson(seen)],
  )
}

/** Only a stop replaces a noted target. */
export async function noteCrossed(
  em: EntityManager,
  signalId: string,
  crossed: NonNullable<TrackedProtection['crossed']>,
): Promise<void> {
  await em.execute(
    `update protections set crossed = ?::jsonb, updated_at = now()
     where signal_id = ? and ended_at is null
       and (crossed is null or (crossed ->> 'level' = 'target' and ? = 'stop'))`,
    [toStorableJson(crossed), signalId, crossed.level],
  )
}

export async function forgetCrossed(
  em: EntityManager,
  signalId: string,
  crossed: NonNullable<TrackedProtection['crossed']>,
): Promise<void> {
  await em.execute(
    'update protections set crossed = null, updated_at = now() where signal_id = ? and crossed = ?::jsonb',
    [signalId, toStorableJson(crossed)],
  )
}

/** First price from which this entry moved the stop. */
export async function movedFrom(em: EntityManager, signalId: string, key: string): Promise<Decimal | null> {
  const [row] = await em.execute<{ from: string | null }[]>(
    `select data ->> 'from' as "from" from signal_events where signal_id = ? and key = ?`,
    [signalId, key],
  )
  return row?.from == null ? null : decimal(row.from)
}

export interface RestingChange {
  to: RestingOrder
  revision: number
  told?: TimelineEntry
}

/** Notes a requested change. False, unchanged, after another order or change. */
export async function noteChanged(
  em: EntityManager,
  { signalId, noted, restingRevision }: Pick<TrackedProtection, 'signalId' | 'noted' | 'restingRevision'>,
  { to, revision, told }: RestingChange,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `with changed as (
       update protections p set resting = ?::jsonb, resting_revision = ?, updated_at = now()
       where signal_id = ? and ended_at is null and resting = ?::jsonb and resting_revision = ?
       returning signal_id),
     told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select signal_id, told.* from changed, jsonb_to_record(?::jsonb)
         as told (key text, kind text, at timestamptz, message text, data jsonb) where key is not null
       on conflict (signal_id, key) do update set message = excluded.message, data = excluded.data)
     select from changed`,
    [
      toStorableJson(to),
      revision,
      signalId,
      toStorableJson(noted),
      restingRevision,
      toStorableJson(told ?? {}),
    ],
  )
  return rows.length > 0
}

/** Null: nothing is at the broker. `revision`: the order's. */
export async function noteResting(
  em: EntityManager,
  signalId: string,
  resting: RestingOrder | null,
  revision: number,
): Promise<void> {
  await em.execute(
    `update protections set resting = ?::jsonb, resting_revision = ?, crossed = null,
       updated_at = now()
     where signal_id = ?`,
    [resting && toStorableJson(resting), revision, signalId],
  )
}

export async function endProtection(em: EntityManager, signalId: string): Promise<void> {
  await em.execute(
    `update protections set ended_at = now(), resting = null, crossed = null, updated_at = now()
     where signal_id = ? and ended_at is null`,
    [signalId],
  )
}
