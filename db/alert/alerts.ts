import {
  kindsThatEnd,
  ALERT_QUIET_MS,
  type AlertEnd,
  type AlertKind,
  type AlertNotice,
} from '#domain/alert/alert.ts'
import type { AlertFacts } from '#domain/alert/remedies.ts'
import { asArray } from '../engine/query.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { Alert } from '../entities/index.ts'
import { given, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, type Page, type Slice } from '../engine/page.ts'
import { findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'
import { activeHaltSql } from '../risk/halts.ts'

export interface AlertSubject {
  accountId: string
  signalId: string | null
  symbol?: string | null
}

const ALERT_SUBJECT = 'coalesce(signal_id, account_id, token_id, strategy_id)'
const ALERT_SYMBOL = `coalesce(symbol, '')`
/** An exit may lack its order while another's is open. */
const ALERT_EXIT = `coalesce(data ->> 'exitReason', '')`
const idOf = ({ accountId, signalId }: AlertSubject): string => signalId ?? accountId

/** SQL: the open alert gets the new content; its cause is back. */
export const UNLESS_OPEN = `on conflict (kind, ${ALERT_SUBJECT}, ${ALERT_SYMBOL}, ${ALERT_EXIT}) where resolved_at is null
  do update set message = excluded.message, data = excluded.data, healthy_since = null`

/** SQL after {@link UNLESS_OPEN}: skips equal content. */
export const UNLESS_SAME = `where alerts.healthy_since is not null
  or (alerts.message, alerts.data) is distinct from (excluded.message, excluded.data)`

export const listOfKinds = (...ends: AlertEnd[]): string =>
  `(${kindsThatEnd(...ends)
    .map((kind) => `'${kind}'`)
    .join(', ')})`

/** Updates an open alert instead. */
export async function raiseAlert(
  em: EntityManager,
  { accountId, signalId, symbol }: AlertSubject,
  { kind, message, data }: AlertNotice,
): Promise<void> {
  await em.execute(
    `insert into alerts (user_id, account_id, signal_id, symbol, kind, message, data)
     select user_id, id, ?::uuid, ?::text, ?, ?, ?::jsonb from accounts where id = ?
     ${UNLESS_OPEN} ${UNLESS_SAME}`,
    [signalId, symbol ?? null, kind, message, toStorableJson(data), accountId],
  )
}

/** Once for the same data, even if resolved. */
export async function raiseAlertOnce(
  em: EntityManager,
  signalId: string,
  { kind, message, data }: AlertNotice,
): Promise<void> {
  await em.execute(
    `insert into alerts (user_id, account_id, signal_id, kind, message, data)
     select user_id, account_id, id, ?, ?, ?::jsonb from signals
     where id = ? and not exists (
       select from alerts a where a.user_id = signals.user_id and a.signal_id = signals.id and a.kind = ? and a.data = ?::jsonb)
     ${UNLESS_OPEN}`,
    [kind, message, toStorableJson(data), signalId, kind, toStorableJson(data)],
  )
}

/** Once for the same or an earlier instant, even if resolved: histories are replayed. False: unknown id. */
export async function raiseAlertOf(
  em: EntityManager,
  signalId: string,
  { kind, message, data }: AlertNotice & { data: { at: string } },
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `with concerned as (
       select user_id, account_id, id from signals where id = ?
     ), raised as (
       insert into alerts (user_id, account_id, signal_id, kind, message, data)
       select user_id, account_id, id, ?, ?, ?::jsonb from concerned
       where not exists (
         select from alerts where kind = ? and ${ALERT_SUBJECT} = ? and data ->> 'at' >= ?)
       ${UNLESS_OPEN}
     )
     select id from concerned`,
    [signalId, kind, message, toStorableJson(data), kind, signalId, data.at],
  )
  return rows.length > 0
}

/** Other kinds end by {@link endWhenQuiet}. `about`: required data. */
export async function resolveAlert(
  em: EntityManager,
  subject: AlertSubject,
  kind: AlertKind,
  about: Record<string, string> = {},
): Promise<void> {
  await em.execute(
    `update alerts set resolved_at = now()
     where kind = ? and ${ALERT_SUBJECT} = ? and ${ALERT_SYMBOL} = coalesce(?::text, '') and resolved_at is null
       and data @> ?::jsonb`,
    [kind, idOf(subject), subject.symbol ?? null, toStorableJson(about)],
  )
}

/** Resolves once the cause is gone for `quiet` milliseconds. */
export async function endWhenQuiet(
  em: EntityManager,
  { symbol = null, ...subject }: AlertSubject,
  kind: AlertKind,
  quiet = ALERT_QUIET_MS,
): Promise<'none' | 'first' | 'quiet' | 'over'> {
  const [row] = await em.execute<{ isFirst: boolean; hasEnded: boolean }[]>(
    `with held as materialized (
       select id as held_id, healthy_since is null as is_first,
         coalesce(healthy_since, now()) <= now() - ? * interval '1 millisecond' as has_ended
       from alerts where kind = ? and ${ALERT_SUBJECT} = ? and ${ALERT_SYMBOL} = coalesce(?::text, '') and resolved_at is null
       for no key update),
     noted as (
       update alerts set healthy_since = coalesce(healthy_since, now()), resolved_at = case when has_ended then now() end
       from held where id = held_id and (is_first or has_ended))
     select is_first as "isFirst", has_ended as "hasEnded" from held`,
    [quiet, kind, idOf(subject), symbol],
  )
  if (!row) return 'none'
  if (row.hasEnded) return 'over'
  return row.isFirst ? 'first' : 'quiet'
}

export async function symbolsWithAlert(
  em: EntityManager,
  accountId: string,
  kind: AlertKind,
): Promise<string[]> {
  const rows = await em.execute<{ symbol: string }[]>(
    'select symbol from alerts where account_id = ? and kind = ? and symbol is not null and resolved_at is null',
    [accountId, kind],
  )
  return rows.map(({ symbol }) => symbol)
}

export async function isAlertOpen(
  em: EntityManager,
  subject: AlertSubject,
  kind: AlertKind,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select id from alerts where kind = ? and ${ALERT_SUBJECT} = ? and resolved_at is null`,
    [kind, idOf(subject)],
  )
  return rows.length > 0
}

/** symbol: also the signal's; facts: they choose the remedy. */
export interface KnownAlert {
  alert: Alert
  /** Set for an order by hand. */
  orderId: string | null
  symbol: string | null
  facts: AlertFacts
}

/** JSON: shares of the symbol; null where copy and executions differ or a fill is newer. */
const POSITION = `(
  select case when sign(shown) = sign(executed) or not exists (select from trades c where c.account_id = a.account_id)
    then trim_scale(shown)::text end
  from (select
    coalesce((select sum(case p.side when 'LONG' then p.quantity else -p.quantity end) from positions p
      where p.account_id = a.account_id and p.symbol = k.symbol), 0) as shown,
    coalesce((select sum(case t.side when 'LONG' then t.quantity else -t.quantity end) from trades t
      where t.account_id = a.account_id and t.symbol = k.symbol and t.status = 'OPEN'), 0) as executed) held
  where k.symbol is not null and not exists (select from orders f join accounts b on b.id = f.account_id
    where f.account_id = a.account_id and f.symbol = k.symbol and f.filled_at > b.last_synced_at))`

const IS_SHORT = `case when s.ask is null then s.action like '%Short'
    else o.side in ('SELL_SHORT', 'BUY_TO_COVER') or o.side = 'BUY' and s.ask ->> 'reducesOnly' = 'true' end`

const ALERTED_ORDER = `case when s.id is not null then jsonb_build_object('isManual', s.ask is not null,
    'closes', case when s.ask is null then s.action like 'close%'
      else o.side in ('SELL', 'BUY_TO_COVER') or s.ask ->> 'reducesOnly' = 'true' end,
    'side', case when ${IS_SHORT} then 'SHORT' else 'LONG' end, 'filled', trim_scale(s.filled_quantity)::text,
    'isWhole', coalesce(o.filled_quantity >= o.quantity, false)) end`

export async function readAlertFacts(
  em: EntityManager,
  ids: readonly string[],
): Promise<Map<string, Omit<KnownAlert, 'alert'>>> {
  if (ids.length === 0) return new Map()
  const rows = await queryRows<AlertFacts & { id: string; symbol: string | null; orderId: string | null }>(
    em,
    `select a.id, k.symbol, case when s.ask is not null then o.id end as "orderId", ${POSITION} as position, ${ALERTED_ORDER} as "order",
       ${activeHaltSql('a.user_id', 'a.account_id')} ->> 'level' as halt
     from alerts a left join signals s on s.id = a.signal_id
     left join orders o on o.client_order_id = s.id || '-e1'
     cross join lateral (select coalesce(a.symbol, s.symbol) as symbol) k
     where a.id = any(?::uuid[])`,
    [asArray(ids)],
  )
  return new Map(rows.map(({ id, symbol, orderId, ...facts }) => [id, { symbol, orderId, facts }]))
}

async function withFacts(em: EntityManager, alerts: Alert[]): Promise<KnownAlert[]> {
  const facts = await readAlertFacts(
    em,
    alerts.map(({ id }) => id),
  )
  return alerts.map((alert) => ({ alert, ...facts.get(alert.id)! }))
}

export async function findAlerts(
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<KnownAlert[]> {
  return withFacts(em, await findRows(em, Alert, { id: { $in: [...ids] }, userId }))
}

const ENDED_BY_PEOPLE = listOfKinds('when acknowledged', 'when read')

/** Resolves only kinds that nothing else resolves; the first name remains. */
export async function acknowledgeAlert(
  em: EntityManager,
  userId: string,
  id: string,
  by: string,
): Promise<KnownAlert | null> {
  await em.execute(
    `update alerts set acknowledged_at = now(), acknowledged_by = ?,
       resolved_at = case when kind in ${ENDED_BY_PEOPLE} then coalesce(resolved_at, now()) else resolved_at end
     where id = ? and user_id = ? and acknowledged_at is null`,
    [by, id, userId],
  )
  const [known] = await withFacts(em, await findRows(em, Alert, { id, userId }))
  return known ?? null
}

export type AlertFilter = Filter<Pick<Alert, 'kind'> & { accountId: string; signalId: string }>

export const ALERT_ORDER = newestFirst('raised_at')

export async function listAlerts(
  em: EntityManager,
  userId: string,
  { state, ...filter }: AlertFilter & { state: 'open' | 'all' },
  page: Page,
): Promise<Slice<KnownAlert>> {
  const where = { ...given(filter), userId, ...(state === 'open' && { resolvedAt: null }) }
  const slice = await sliceOf(em, Alert, where, ALERT_ORDER, page)
  return { ...slice, items: await withFacts(em, slice.items) }
}

export async function subjectsWithAlert(
  em: EntityManager,
  accountId: string,
  kind: AlertKind,
): Promise<Set<string>> {
  const rows = await em.execute<{ id: string }[]>(
    `select ${ALERT_SUBJECT} as id from alerts where account_id = ? and kind = ? and resolved_at is null`,
    [accountId, kind],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Resolves alerts of shares not held for `quiet` ms. */
export async function resolveManuallyClosed(
  em: EntityManager,
  accountId: string,
  quiet = ALERT_QUIET_MS,
): Promise<void> {
  await em.execute(
    `with looked as materialized (
       select l.id as looked_id, l.healthy_since as since, not exists (
         select from positions p where p.account_id = s.account_id and p.symbol = s.symbol
           and p.side = case s.action when 'openLong' then 'LONG' else 'SHORT' end) as is_flat
       from alerts l join signals s on s.id = l.signal_id join accounts a on a.id = s.account_id
       where l.account_id = ? and l.kind = 'unprotected_position' and l.resolved_at is null
         and l.raised_at < coalesce(a.last_synced_at, now()) - interval '1 minute'
         and s.exit_status in ('filled', 'partially_filled', 'cancelled', 'failed'))
     update alerts set healthy_since = case when is_flat then coalesce(since, now()) end,
       resolved_at = case when is_flat and coalesce(since, now()) <= now() - ? * interval '1 millisecond' then now() end
     from looked where id = looked_id and resolved_at is null
       and case when is_flat then since is null or since <= now() - ? * interval '1 millisecond' else since is not null end`,
    [accountId, quiet, quiet],
  )
}

export async function signalsWithoutExitForKeys(em: EntityManager, accountId: string): Promise<string[]> {
  const rows = await em.execute<{ signal_id: string }[]>(
    `select distinct signal_id from alerts where account_id = ? and kind = 'unprotected_position' and resolved_at is null
       and data ->> 'code' = 'BROKER_CREDENTIALS_INVALID'`,
    [accountId],
  )
  return rows.map((row) => row.signal_id)
}

export async function signalsHeldUp(
  em: EntityManager,
  accountId: string,
  symbols: readonly string[],
): Promise<string[]> {
  const rows = await em.execute<{ signal_id: string }[]>(
    `select distinct a.signal_id from alerts a join signals s on s.id = a.signal_id
     where a.account_id = ? and a.kind = 'unprotected_position' and a.resolved_at is null
       and a.data ->> 'trouble' in ('held', 'rejected')
       and s.symbol in (select jsonb_array_elements_text(?::jsonb))`,
    [accountId, toStorableJson(symbols)],
  )
  return rows.map((row) => row.signal_id)
}
