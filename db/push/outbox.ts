import type { AlertKind } from '#domain/alert.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { Action, QuantityType } from '#domain/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import type { PushTarget } from './subscriptions.ts'

/**
 * The outbox of notifications: triggers write a row in the transaction in which a signal begins or ends to wait, or an
 * alert is raised, so that neither is there without the other.
 */

/** A signal of which a notification tells. */
export interface ToldSignal {
  id: string
  symbol: string
  action: Action
  quantity: Decimal
  quantityType: QuantityType
  limitPrice: Decimal | null
  /** ISO; null where it waits without end. */
  validUntil: string | null
}

/** An alert of which a notification tells. */
export interface ToldAlert {
  id: string
  kind: AlertKind
  message: string
  signalId: string | null
}

/** A notification that this process is to send now. */
export interface DuePush {
  /** Another number when newer news took its place meanwhile. */
  id: string
  userId: string
  /** Times that sending it has begun, with this one. */
  attempts: number
  expiresAt: Date
  showFigures: boolean
  target: PushTarget
  news: { kind: 'waiting' | 'settled'; signal: ToldSignal } | { kind: 'alert'; alert: ToldAlert }
}

interface Row {
  id: string
  userId: string
  kind: DuePush['news']['kind']
  attempts: number
  expiresAt: string
  showFigures: boolean
  isWorthTelling: boolean
  target: PushTarget
  signal: ToldSignal | null
  alert: ToldAlert | null
}

/**
 * Takes notifications that are due, the longest due first; no other process gets them before the seconds are over, in
 * which they are to be sent and recorded. Rows that nobody needs any more are removed instead: expired ones, those of
 * subscriptions that are gone or signed out, of signals that no longer wait, of alerts that are over, and what its user does not
 * want to be told any more.
 */
export async function takeDuePushes(
  em: EntityManager,
  { most, seconds }: { most: number; seconds: number },
): Promise<{ taken: number; due: DuePush[] }> {
  const rows = await em.execute<Row[]>(
    `with due as (
       select subscription_id, subject_id from push_outbox where due_at <= now()
       order by due_at limit ? for update skip locked
     ), taken as (
       update push_outbox o set attempts = o.attempts + 1, due_at = now() + make_interval(secs => ?)
       from due where (o.subscription_id, o.subject_id) = (due.subscription_id, due.subject_id)
       returning o.*
     )
     select o.id::text as id, p.user_id as "userId", o.kind, o.attempts, o.expires_at as "expiresAt",
       coalesce(c.show_figures, false) as "showFigures",
       coalesce(o.expires_at > now() and session.ended_at is null and session.expires_at > now()
         and case o.kind
           when 'alert' then a.resolved_at is null and coalesce(c.alerts, true)
           else (s.status = 'pending') = (o.kind = 'waiting') and coalesce(c.waiting_signals, true)
         end, false) as "isWorthTelling",
       jsonb_build_object('id', p.id, 'endpoint', p.endpoint, 'p256dh', p.p256dh, 'auth', p.auth,
         'keyId', p.key_id) as target,
       case when s.id is not null then jsonb_build_object('id', s.id, 'symbol', s.symbol, 'action', s.action,
         'quantity', trim_scale(s.quantity)::text, 'quantityType', s.quantity_type,
         'limitPrice', trim_scale(s.limit_price)::text, 'validUntil', s.valid_until) end as signal,
       case when a.id is not null then jsonb_build_object('id', a.id, 'kind', a.kind, 'message', a.message,
         'signalId', a.signal_id) end as alert
     from taken o
     left join push_subscriptions p on p.id = o.subscription_id
     left join sessions session on session.id = p.session_id
     left join notification_choices c on c.user_id = p.user_id
     left join signals s on o.kind <> 'alert' and s.id = o.subject_id and s.user_id = p.user_id
     left join alerts a on o.kind = 'alert' and a.id = o.subject_id and a.user_id = p.user_id`,
    [most, seconds],
  )
  const needless = rows.filter(({ isWorthTelling }) => !isWorthTelling)
  if (needless.length > 0)
    await em.execute(
      `delete from push_outbox where id = any(?::bigint[])`,
      [`{${needless.map(({ id }) => id).join(',')}}`],
      'run',
    )
  const due = rows.filter(({ isWorthTelling }) => isWorthTelling).map(readRow)
  return { taken: rows.length, due }
}

const readRow = ({ kind, signal, alert, isWorthTelling: _, ...row }: Row): DuePush => ({
  ...row,
  expiresAt: new Date(row.expiresAt),
  news: kind === 'alert' ? { kind, alert: alert! } : { kind, signal: signal! },
})

/** The notification is dealt with: it was taken by the push service, or never will be. */
export async function dropPush(em: EntityManager, { id }: Pick<DuePush, 'id'>): Promise<void> {
  await em.execute('delete from push_outbox where id = ?', [id], 'run')
}

/** The notification is tried again after so many milliseconds. */
export async function postponePush(
  em: EntityManager,
  { id }: Pick<DuePush, 'id'>,
  milliseconds: number,
): Promise<void> {
  await em.execute(
    'update push_outbox set due_at = now() + make_interval(secs => ?) where id = ?',
    [milliseconds / 1_000, id],
    'run',
  )
}

/** Removes notifications that nobody sends, where sending was switched off. Harmless to repeat. */
export async function removeExpiredPushes(em: EntityManager): Promise<void> {
  await em.execute('delete from push_outbox where expires_at < now()', [], 'run')
}
