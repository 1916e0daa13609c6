import type { AlertFacts } from '#domain/alert/remedies.ts'
import type { AlertKind } from '#domain/alert/alert.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { OrderSide, OrderType } from '#domain/order/order.ts'
import type { Action, QuantityType } from '#domain/signal/signal.ts'
import { asArray } from '../engine/query.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { readAlertFacts } from '../alert/alerts.ts'
import type { NotifiedDay } from './day-summaries.ts'
import { SERVICE_OF, type PushTarget } from './subscriptions.ts'

// Triggers write rows in their event's transaction: neither exists alone.

export interface NotifiedSignal {
  id: string
  symbol: string
  action: Action
  quantity: Decimal
  quantityType: QuantityType
  orderType: OrderType
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  /** ISO; null: no end. */
  validUntil: string | null
  /** Shares; dollars a share, null before the first fill. */
  filledQuantity: Decimal
  avgFillPrice: Decimal | null
  statusDetail: string | null
  /** Dollars after fees, once closed; null where unknown. */
  result: Decimal | null
}

export interface NotifiedOrder extends Pick<
  NotifiedSignal,
  'id' | 'symbol' | 'filledQuantity' | 'avgFillPrice'
> {
  side: OrderSide
}

export interface NotifiedAlert {
  id: string
  kind: AlertKind
  message: string
  data: Record<string, unknown>
  signalId: string | null
  facts: AlertFacts
}

export interface DuePush {
  id: string
  userId: string
  attempts: number
  expiresAt: Date
  showFigures: boolean
  target: PushTarget
  service: string
  /** Consecutive refusals before this message. */
  failures: number
  /** Further news gathered into this one. */
  more: number
  news: News
}

export type News =
  | { kind: 'waiting' | 'settled' | 'closed' | 'refused'; signal: NotifiedSignal }
  | { kind: 'filled'; filled: { signal: NotifiedSignal } | { order: NotifiedOrder } }
  | { kind: 'alert'; alert: NotifiedAlert }
  | { kind: 'summary'; day: NotifiedDay }

export const NEWS_KINDS = [
  'waiting',
  'settled',
  'closed',
  'refused',
  'filled',
  'alert',
  'summary',
] as const satisfies readonly News['kind'][]

interface Row {
  id: string
  userId: string
  kind: News['kind']
  more: number
  attempts: number
  expiresAt: string
  showFigures: boolean
  isWorthNotifying: boolean
  target: PushTarget
  service: string
  failures: number
  signal: NotifiedSignal | null
  order: NotifiedOrder | null
  alert: Omit<NotifiedAlert, 'facts'> | null
  day: NotifiedDay | null
}

export interface PushRoom {
  most: number
  /** At once, per user. */
  perUser: number
  /** In progress, by user. */
  ofUsers: Readonly<Record<string, number>>
  /** At once, per push service. */
  perService: number
  /** Room by push service, where below `perService`. */
  ofServices: Readonly<Record<string, number>>
  /** Seconds to send and record; no other process takes the rows meanwhile. */
  seconds: number
}

/** Seconds between outcomes for a browser: later ones are gathered by kind. */
const OUTCOMES_GATHERED_FOR = 20

export const IS_DUE = 'due_at <= now()'

/** Round robin by user; a failing browser gets one message after its pause. */
export async function takeDuePushes(
  em: EntityManager,
  { most, perUser, ofUsers, perService, ofServices, seconds }: PushRoom,
): Promise<{ taken: number; due: DuePush[] }> {
  const rows = await em.execute<Row[]>(
    `with due as (
       select p.id as subscription_id, o.id, o.due_at, p.user_id, p.failures, ${SERVICE_OF('p.endpoint')} as service
       from push_subscriptions p
       cross join lateral (
         select id, due_at from (
           (select id, due_at from push_outbox where subscription_id = p.id and due_at <= now() and not is_outcome
            order by due_at limit ?)
           union all
           (select distinct on (kind) id, due_at from push_outbox
            where subscription_id = p.id and due_at <= now() and is_outcome and coalesce(p.quiet_until <= now(), true)
            order by kind, due_at desc, id desc)
         ) each
         order by due_at limit case when p.failures > 0 then 1 else ? end
       ) o
       -- Mostly nothing is due, and then no subscription is looked at.
       where exists (select from push_outbox where ${IS_DUE}) and coalesce(p.retry_at <= now(), true)
     ), by_user as (
       select *, row_number() over (partition by user_id order by failures, due_at)
         + coalesce((?::jsonb ->> user_id::text)::int, 0) as turn
       from due
     ), by_service as (
       select *, row_number() over (partition by service order by turn, failures, due_at) as place
       from by_user where turn <= ?
     ), chosen as (
       select o.id, o.subscription_id, o.kind, o.is_outcome from by_service c
       join push_outbox o on o.id = c.id
       where c.place <= coalesce((?::jsonb ->> c.service)::int, ?) and o.due_at <= now()
       order by c.turn, c.failures, c.due_at limit ? for update of o skip locked
     ), others as (
       select o.id from chosen c
       join push_outbox o on (o.subscription_id, o.kind) = (c.subscription_id, c.kind) and o.id <> c.id
       where c.is_outcome and o.due_at <= now() for update of o skip locked
     ), gathered as (
       delete from push_outbox where id in (select id from others) returning subscription_id, kind, more
     ), taken as (
       update push_outbox o set attempts = o.attempts + 1, due_at = now() + make_interval(secs => ?),
         more = o.more + coalesce((select sum(g.more + 1)::int from gathered g
           where (g.subscription_id, g.kind) = (o.subscription_id, o.kind)), 0)
       from chosen where o.id = chosen.id
       returning o.*
     ), tried as (
       -- Of a browser that took nothing lately no second message is taken meanwhile.
       update push_subscriptions p
       set retry_at = case when p.failures > 0 then now() + make_interval(secs => ?) else p.retry_at end,
         quiet_until = case when told.an_outcome then now() + make_interval(secs => ?) else p.quiet_until end
       from (select subscription_id, bool_or(is_outcome) as an_outcome from taken group by subscription_id) told
       where p.id = told.subscription_id and (p.failures > 0 or told.an_outcome)
     )
     select o.id::text as id, p.user_id as "userId", o.kind, o.more, o.attempts, o.expires_at as "expiresAt",
       coalesce(c.show_figures, false) as "showFigures",
       coalesce(o.expires_at > now() and session.ended_at is null and session.expires_at > now()
         and push_is_wanted(o.kind, c)
         and case o.kind
           when 'alert' then a.resolved_at is null
           when 'filled' then s.id is not null or m.id is not null
           when 'summary' then d.id is not null
           when 'closed' then s.id is not null
           when 'refused' then is_refused(s)
           else (s.status = 'pending') = (o.kind = 'waiting')
         end, false) as "isWorthNotifying",
       jsonb_build_object('id', p.id, 'endpoint', p.endpoint, 'p256dh', p.p256dh, 'auth', p.auth,
         'keyId', p.key_id) as target,
       ${SERVICE_OF('p.endpoint')} as service, p.failures,
       case when s.id is not null then jsonb_build_object('id', s.id, 'symbol', s.symbol, 'action', s.action,
         'quantity', trim_scale(s.quantity)::text, 'quantityType', s.quantity_type,
         'orderType', s.order_type, 'limitPrice', trim_scale(s.limit_price)::text,
         'stopPrice', trim_scale(s.stop_price)::text, 'validUntil', s.valid_until,
         'filledQuantity', trim_scale(s.filled_quantity)::text, 'avgFillPrice', trim_scale(s.avg_fill_price)::text,
         'statusDetail', s.status_detail,
         'result', case when o.kind = 'closed' then trim_scale(signal_result(s.id))::text end) end as signal,
       case when m.id is not null then jsonb_build_object('id', m.id, 'symbol', m.symbol, 'side', m.side,
         'filledQuantity', trim_scale(m.filled_quantity)::text,
         'avgFillPrice', trim_scale(m.avg_fill_price)::text) end as "order",
       case when a.id is not null then jsonb_build_object('id', a.id, 'kind', a.kind, 'message', a.message, 'data', a.data,
         'signalId', (select g.id from signals g where g.id = a.signal_id and g.ask is null)) end as alert,
       case when d.id is not null then d.figures || jsonb_build_object('id', d.id) end as day
     from taken o
     join push_subscriptions p on p.id = o.subscription_id
     left join sessions session on session.id = p.session_id
     left join notification_choices c on c.user_id = p.user_id
     left join signals s on o.kind not in ('alert', 'summary') and s.id = o.subject_id and s.user_id = p.user_id
     left join orders m on o.kind = 'filled' and m.id = o.subject_id and m.user_id = p.user_id
     left join day_summaries d on o.kind = 'summary' and d.id = o.subject_id and d.user_id = p.user_id
     left join alerts a on o.kind = 'alert' and a.id = o.subject_id and a.user_id = p.user_id`,
    [
      perUser,
      perUser,
      toStorableJson(ofUsers),
      perUser,
      toStorableJson(ofServices),
      perService,
      most,
      seconds,
      seconds,
      OUTCOMES_GATHERED_FOR,
    ],
  )
  const needless = rows.filter(({ isWorthNotifying }) => !isWorthNotifying)
  if (needless.length > 0)
    await em.execute(
      `with removed as (delete from push_outbox where id = any(?::bigint[]) returning subscription_id)
       update push_subscriptions set retry_at = null
       where failures > 0 and id in (select subscription_id from removed)`,
      [asArray(needless.map(({ id }) => id))],
    )
  const worth = rows.filter(({ isWorthNotifying }) => isWorthNotifying)
  const facts = await readAlertFacts(
    em,
    worth.flatMap(({ alert }) => (alert === null ? [] : [alert.id])),
  )
  const due = worth.map((row) => readRow(row, facts))
  return { taken: rows.length, due }
}

const readRow = (
  { kind, signal, order, alert, day, isWorthNotifying: _, ...row }: Row,
  facts: Awaited<ReturnType<typeof readAlertFacts>>,
): DuePush => ({
  ...row,
  expiresAt: new Date(row.expiresAt),
  news: newsOf(kind, { signal, order, alert: alert && { ...alert, ...facts.get(alert.id)! }, day }),
})

function newsOf(
  kind: News['kind'],
  row: Pick<Row, 'signal' | 'order' | 'day'> & { alert: NotifiedAlert | null },
): News {
  switch (kind) {
    case 'alert':
      return { kind, alert: row.alert! }
    case 'summary':
      return { kind, day: row.day! }
    case 'filled':
      return { kind, filled: row.signal ? { signal: row.signal } : { order: row.order! } }
    case 'waiting':
    case 'settled':
    case 'closed':
    case 'refused':
      return { kind, signal: row.signal! }
  }
}

export async function dropPush(em: EntityManager, { id }: Pick<DuePush, 'id'>): Promise<void> {
  await em.execute('delete from push_outbox where id = ?', [id])
}

/** Milliseconds in which the browser gets nothing else. */
export async function postponePush(
  em: EntityManager,
  { id, target, failures }: Pick<DuePush, 'id' | 'target' | 'failures'>,
  milliseconds: number,
): Promise<void> {
  // Messages that fail together count once.
  await em.execute(
    `with postponed as (update push_outbox set due_at = now() + make_interval(secs => ?) where id = ?)
     update push_subscriptions set failures = greatest(failures, ?), retry_at = now() + make_interval(secs => ?)
     where id = ?`,
    [milliseconds / 1_000, id, failures + 1, milliseconds / 1_000, target.id],
  )
}

/** Removes expired rows, orphans, and old `closings_notified`. Safe to repeat. */
export async function removeExpiredPushes(em: EntityManager): Promise<void> {
  await em.execute(
    // Cleanup and trades never wait for each other's locks.
    `delete from push_outbox where id in (
       select o.id from push_outbox o
       where o.expires_at < now() or not exists (select from push_subscriptions p where p.id = o.subscription_id)
       for update skip locked)`,
  )
  await em.execute(`delete from closings_notified where closed_at < now() - interval '1 day'`)
}
