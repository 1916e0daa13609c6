import { ALERTS, type AlertKind, type AlertNotice } from '#domain/alert.ts'
import type { EntityManager } from '../engine/database.ts'
import { Alert } from '../entities/index.ts'
import { given, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, type Page, type Slice } from '../engine/page.ts'
import { findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'

/** The account that an alert is about, and the signal, or the manual order, where it is about one. */
export interface AlertSubject {
  accountId: string
  signalId: string | null
  /** Of an order that no signal asked for. */
  orderId?: string | null
}

const SUBJECT = 'coalesce(signal_id, order_id, account_id)'
const idOf = ({ accountId, signalId, orderId }: AlertSubject): string => signalId ?? orderId ?? accountId

/** Ends the insert of an alert that may be open already: its content is updated. */
export const UNLESS_OPEN = `on conflict (kind, ${SUBJECT}) where resolved_at is null
  do update set message = excluded.message, data = excluded.data`

/** Raises an alert; an open one of the same kind is updated instead. */
export async function raiseAlert(
  em: EntityManager,
  { accountId, signalId, orderId }: AlertSubject,
  { kind, message, data }: AlertNotice,
): Promise<void> {
  await em.execute(
    `insert into alerts (user_id, account_id, signal_id, order_id, kind, message, data)
     select user_id, id, ?::uuid, ?::uuid, ?, ?, ?::jsonb from accounts where id = ?
     ${UNLESS_OPEN}
     where (alerts.message, alerts.data) is distinct from (excluded.message, excluded.data)`,
    [signalId, orderId ?? null, kind, message, JSON.stringify(data), accountId],
  )
}

/**
 * Raises an alert about a signal or a manual order, by its id. A repetition for the same instant, or an earlier one, does
 * nothing, even if the alert is resolved: histories are replayed. False when there is no such signal or order.
 */
export async function raiseAlertOf(
  em: EntityManager,
  subject: 'signal' | 'order',
  id: string,
  { kind, message, data }: AlertNotice & { data: { at: string } },
): Promise<boolean> {
  const isSignal = subject === 'signal'
  const rows = await em.execute<unknown[]>(
    `with concerned as (
       select user_id, account_id, id from ${isSignal ? 'signals' : 'orders'} where id = ?
     ), raised as (
       insert into alerts (user_id, account_id, ${isSignal ? 'signal_id' : 'order_id'}, kind, message, data)
       select user_id, account_id, id, ?, ?, ?::jsonb from concerned
       where not exists (
         select from alerts where kind = ? and ${SUBJECT} = ? and data ->> 'at' >= ?)
       ${UNLESS_OPEN}
     )
     select id from concerned`,
    [id, kind, message, JSON.stringify(data), kind, id, data.at],
  )
  return rows.length > 0
}

/**
 * Resolves the alert. Does nothing when no such alert is open.
 *
 * @param about what its data have to hold besides
 */
export async function resolveAlert(
  em: EntityManager,
  subject: AlertSubject,
  kind: AlertKind,
  about: Record<string, string> = {},
): Promise<void> {
  await em.execute(
    `update alerts set resolved_at = now()
     where kind = ? and ${SUBJECT} = ? and resolved_at is null and data @> ?::jsonb`,
    [kind, idOf(subject), JSON.stringify(about)],
  )
}

/** Whether an alert of this kind is open. */
export async function isAlertOpen(
  em: EntityManager,
  subject: AlertSubject,
  kind: AlertKind,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select id from alerts where kind = ? and ${SUBJECT} = ? and resolved_at is null`,
    [kind, idOf(subject)],
  )
  return rows.length > 0
}

/** An alert and the symbol of its signal or order; null where it is about neither. */
export interface KnownAlert {
  alert: Alert
  symbol: string | null
}

async function withSymbols(em: EntityManager, userId: string, alerts: Alert[]): Promise<KnownAlert[]> {
  const subjects = alerts.map(({ signalId, orderId }) => signalId ?? orderId ?? '')
  const ids = subjects.filter((id) => id !== '')
  const named = [userId, `{${ids.join(',')}}`]
  const traded =
    ids.length === 0
      ? []
      : await queryRows<{ id: string; symbol: string }>(
          em,
          `select id, symbol from signals where user_id = ? and id = any(?::uuid[])
           union all select id, symbol from orders where user_id = ? and id = any(?::uuid[])`,
          [...named, ...named],
        )
  const symbols = new Map(traded.map(({ id, symbol }) => [id, symbol]))
  return alerts.map((alert, index) => ({ alert, symbol: symbols.get(subjects[index]!) ?? null }))
}

/** A user's alerts with these ids, in no order; those that are not theirs are absent. */
export async function findAlerts(
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<KnownAlert[]> {
  return withSymbols(em, userId, await findRows(em, Alert, { id: { $in: [...ids] }, userId }))
}

const ENDED_BY_PEOPLE = Object.entries(ALERTS)
  .filter(([, { endsWhenAcknowledged }]) => endsWhenAcknowledged)
  .map(([kind]) => kind)

/**
 * A person acknowledges the alert. That only resolves alerts which nothing else can resolve. Null when the user has no
 * such alert; a second acknowledgement keeps the name of the first person.
 */
export async function acknowledgeAlert(
  em: EntityManager,
  userId: string,
  id: string,
  by: string,
): Promise<KnownAlert | null> {
  await em.execute(
    `update alerts set acknowledged_at = now(), acknowledged_by = ?,
       resolved_at = case when kind in (${ENDED_BY_PEOPLE.map(() => '?')}) then coalesce(resolved_at, now()) else resolved_at end
     where id = ? and user_id = ? and acknowledged_at is null`,
    [by, ...ENDED_BY_PEOPLE, id, userId],
  )
  const [known] = await withSymbols(em, userId, await findRows(em, Alert, { id, userId }))
  return known ?? null
}

export type AlertFilter = Filter<Pick<Alert, 'accountId' | 'kind'> & { signalId: string }>

export const ALERT_ORDER = newestFirst('raised_at')

/** A user's alerts, newest first: the open ones, or all that there ever were. */
export async function listAlerts(
  em: EntityManager,
  userId: string,
  { state, ...filter }: AlertFilter & { state: 'open' | 'all' },
  page: Page,
): Promise<Slice<KnownAlert>> {
  const where = { ...given(filter), userId, ...(state === 'open' && { resolvedAt: null }) }
  const slice = await sliceOf(em, Alert, where, ALERT_ORDER, page)
  return { ...slice, items: await withSymbols(em, userId, slice.items) }
}

/** The signals of an account, and its manual orders, for which an alert of this kind is open; their ids. */
export async function subjectsWithAlert(
  em: EntityManager,
  accountId: string,
  kind: AlertKind,
): Promise<Set<string>> {
  const rows = await em.execute<{ id: string }[]>(
    `select ${SUBJECT} as id from alerts where account_id = ? and kind = ? and resolved_at is null`,
    [accountId, kind],
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Resolves the alerts of shares without an exit once the account does not hold them any more: a person closed the position.
 * Fresh alerts stay open, since a broker's positions lag behind its fills.
 */
export async function resolveManuallyClosed(em: EntityManager, accountId: string): Promise<void> {
  await em.execute(
    `update alerts set resolved_at = now() from signals s join accounts a on a.id = s.account_id
     where alerts.account_id = ? and alerts.kind = 'unprotected_position' and alerts.resolved_at is null
       and alerts.raised_at < coalesce(a.last_synced_at, now()) - interval '1 minute'
       and s.id = alerts.signal_id and s.exit_status in ('filled', 'partially_filled', 'cancelled', 'failed')
       and not exists (
         select from positions p where p.account_id = s.account_id and p.symbol = s.symbol
           and p.side = case s.action when 'openLong' then 'LONG' else 'SHORT' end)`,
    [accountId],
  )
}

/** The signals of an account whose exits were rejected because of the broker's keys, and are not at the broker yet. */
export async function signalsWithoutExitForKeys(em: EntityManager, accountId: string): Promise<string[]> {
  const rows = await em.execute<{ signal_id: string }[]>(
    `select signal_id from alerts where account_id = ? and kind = 'unprotected_position' and resolved_at is null
       and data ->> 'code' = 'BROKER_CREDENTIALS_INVALID'`,
    [accountId],
  )
  return rows.map((row) => row.signal_id)
}

/** The signals of an account and symbol whose due exits are blocked. */
export async function signalsHeldUp(em: EntityManager, accountId: string, symbol: string): Promise<string[]> {
  const rows = await em.execute<{ signal_id: string }[]>(
    `select a.signal_id from alerts a join signals s on s.id = a.signal_id
     where a.account_id = ? and a.kind = 'unprotected_position' and a.resolved_at is null
       and a.data ->> 'trouble' in ('held', 'rejected') and s.symbol = ?`,
    [accountId, symbol],
  )
  return rows.map((row) => row.signal_id)
}
