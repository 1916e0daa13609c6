import { asArray } from '../engine/query.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { readAlertFacts } from '../alert/alerts.ts'
import type { NotifiedDay } from './day-summaries.ts'
import { TARGET_OF } from './channels.ts'
import type {
  DueNotice,
  News,
  NotifiedAlert,
  NotifiedOrder,
  NotifiedSignal,
  PausedChannel,
  WebhookEvent,
} from './news.ts'

// Triggers write rows in their event's transaction: neither exists alone.

interface Row extends Omit<DueNotice, 'expiresAt' | 'news'> {
  kind: News['kind']
  expiresAt: string
  isWorthNotifying: boolean
  signal: NotifiedSignal | null
  order: NotifiedOrder | null
  alert: Omit<NotifiedAlert, 'facts'> | null
  day: NotifiedDay | null
  event: WebhookEvent | null
  channel: PausedChannel | null
}

export interface SenderRoom {
  most: number
  /** At once, per user. */
  perUser: number
  /** In progress, by user. */
  ofUsers: Readonly<Record<string, number>>
  /** At once, per service. */
  perService: number
  /** Room by service, where below `perService`. */
  ofServices: Readonly<Record<string, number>>
  /** Whether events are taken too, and not only messages to people. */
  withEvents: boolean
  /** Seconds to send and record; no other process takes the rows meanwhile. */
  seconds: number
}

/** Seconds between outcomes, and between alarms, for a channel: later ones are gathered by kind. */
const GATHERED_FOR_SECONDS = 20

/** SQL of a row `g` of the outbox: only such a row is sent for the others of its kind, and counted. */
const IS_NEEDED = `case g.kind
  when 'alert' then exists (select from alerts a
    where a.id = g.subject_id and a.resolved_at is null and a.acknowledged_at is null)
  when 'refused' then exists (select from signals s where s.id = g.subject_id and is_refused(s))
  else true end`

export const IS_DUE = 'due_at <= now()'

/** Round robin by user; a failing channel gets one message after its pause. */
export async function takeDueNotices(
  em: EntityManager,
  { most, perUser, ofUsers, perService, ofServices, withEvents, seconds }: SenderRoom,
): Promise<{ taken: number; due: DueNotice[] }> {
  const rows = await em.execute<Row[]>(
    `with due as (
       select p.id as channel_id, o.id, o.due_at, o.is_event, p.user_id, p.failures, p.service
       from channels p
       cross join lateral (
         select id, due_at, is_event from (
           (select id, due_at, kind = 'event' as is_event from outbox where channel_id = p.id and due_at <= now() and not is_gathered and (? or kind <> 'event')
            order by due_at, id limit ?)
           union all
           (select distinct on (kind) id, due_at, false from outbox g
            where channel_id = p.id and due_at <= now() and is_gathered
              and (attempts > 0 or coalesce(case kind when 'alert' then p.alarms_quiet_until else p.quiet_until end <= now(), true))
            order by kind, ${IS_NEEDED} desc, due_at desc, id desc)
         ) each
         order by due_at, id limit case when p.failures > 0 then 1 else ? end
       ) o
       -- Mostly nothing is due, and then no channel is looked at.
       where exists (select from outbox where ${IS_DUE}) and coalesce(p.retry_at <= now(), true) and p.paused_at is null
     ), by_user as (
       -- Programs wait for people, and leave room for them.
       select *, row_number() over (partition by user_id order by is_event, failures, due_at, id) + case when is_event then 2 else 0 end
         + coalesce((?::jsonb ->> user_id::text)::int, 0) as turn
       from due
     ), by_service as (
       select *, row_number() over (partition by service order by turn, failures, due_at) as place
       from by_user where turn <= ?
     ), chosen as (
       select o.id, o.channel_id, o.kind, o.is_gathered from by_service c
       join outbox o on o.id = c.id
       where c.place <= coalesce((?::jsonb ->> c.service)::int, ?) and o.due_at <= now()
       order by c.turn, c.failures, c.due_at limit ? for update of o skip locked
     ), others as (
       select o.id from chosen c
       join outbox o on (o.channel_id, o.kind) = (c.channel_id, c.kind) and o.id <> c.id
       where c.is_gathered and o.due_at <= now() for update of o skip locked
     ), gathered as (
       delete from outbox where id in (select id from others) returning channel_id, kind, subject_id, more
     ), taken as (
       update outbox o set attempts = o.attempts + 1, due_at = now() + make_interval(secs => ?),
         more = o.more + coalesce((select sum(g.more + 1)::int from gathered g
           where (g.channel_id, g.kind) = (o.channel_id, o.kind) and ${IS_NEEDED}), 0)
       from chosen where o.id = chosen.id
       returning o.*
     ), tried as (
       -- Of a channel that took nothing lately no second message is taken meanwhile.
       update channels p
       set retry_at = case when p.failures > 0 then now() + make_interval(secs => ?) else p.retry_at end,
         quiet_until = case when told.an_outcome then now() + make_interval(secs => ?) else p.quiet_until end,
         alarms_quiet_until = case when told.an_alarm then now() + make_interval(secs => ?) else p.alarms_quiet_until end
       from (
         select channel_id, bool_or(is_gathered and kind <> 'alert') as an_outcome, bool_or(kind = 'alert') as an_alarm
         from taken group by channel_id) told
       where p.id = told.channel_id and (p.failures > 0 or told.an_outcome or told.an_alarm)
     )
     select o.id::text as id, o.subject_id as "subjectId", o.kind, o.more, o.attempts, o.expires_at as "expiresAt",
       coalesce(c.show_figures, false) as "showFigures",
       coalesce(o.expires_at > now() and is_live(p)
         and notice_is_wanted(o.kind, c) and (urgency_of(o.kind) is null or urgency_of(o.kind) = any (p.urgencies))
         and case o.kind
           when 'alert' then a.resolved_at is null and a.acknowledged_at is null
           when 'filled' then s.id is not null or m.id is not null
           when 'summary' then d.id is not null
           when 'closed' then s.id is not null
           when 'refused' then is_refused(s)
           when 'event' then e.id is not null
           when 'check' then true
           when 'paused' then q.paused_at is not null
           else (s.status = 'pending') = (o.kind = 'waiting')
         end, false) as "isWorthNotifying",
       ${TARGET_OF('p')} as target, p.failures, p.failing_since as "failingSince",
       case when s.id is not null then jsonb_build_object('id', s.id, 'symbol', s.symbol, 'action', s.action,
         'quantity', trim_scale(s.quantity)::text, 'quantityType', s.quantity_type,
         'orderType', s.order_type, 'limitPrice', trim_scale(s.limit_price)::text,
         'stopPrice', trim_scale(s.stop_price)::text, 'validUntil', s.valid_until, 'isLive', not g.is_demo,
         'filledQuantity', trim_scale(s.filled_quantity)::text, 'avgFillPrice', trim_scale(s.avg_fill_price)::text,
         'statusDetail', s.status_detail,
         'result', case when o.kind = 'closed' then trim_scale(signal_result(s.id))::text end) end as signal,
       case when m.id is not null then jsonb_build_object('id', m.id, 'symbol', m.symbol, 'side', m.side,
         'filledQuantity', trim_scale(m.filled_quantity)::text,
         'avgFillPrice', trim_scale(m.avg_fill_price)::text) end as "order",
       case when a.id is not null then jsonb_build_object('id', a.id, 'kind', a.kind, 'message', a.message, 'data', a.data,
         'signalId', (select g.id from signals g where g.id = a.signal_id and g.ask is null)) end as alert,
       case when d.id is not null then d.figures || jsonb_build_object('id', d.id) end as day,
       case when e.id is not null then jsonb_build_object('id', e.id, 'type', e.type, 'data', e.data, 'at', e.at) end as event,
       case when q.id is not null then jsonb_build_object('id', q.id, 'name', q.name, 'pauseReason', q.pause_reason) end as channel
     from taken o
     join channels p on p.id = o.channel_id
     left join notification_choices c on c.user_id = p.user_id
     left join signals s on o.kind in ('waiting', 'settled', 'filled', 'closed', 'refused') and s.id = o.subject_id and s.user_id = p.user_id
     left join accounts g on g.id = s.account_id
     left join orders m on o.kind = 'filled' and m.id = o.subject_id and m.user_id = p.user_id
     left join day_summaries d on o.kind = 'summary' and d.id = o.subject_id and d.user_id = p.user_id
     left join alerts a on o.kind = 'alert' and a.id = o.subject_id and a.user_id = p.user_id
     left join channels q on o.kind = 'paused' and q.id = o.subject_id and q.user_id = p.user_id
     left join webhook_events e on o.kind = 'event' and e.id = o.subject_id and e.user_id = p.user_id`,
    [
      withEvents,
      perUser,
      perUser,
      toStorableJson(ofUsers),
      perUser,
      toStorableJson(ofServices),
      perService,
      most,
      seconds,
      seconds,
      GATHERED_FOR_SECONDS,
      GATHERED_FOR_SECONDS,
    ],
  )
  await dropNeedless(
    em,
    rows.filter(({ isWorthNotifying }) => !isWorthNotifying),
  )
  const worth = rows.filter(({ isWorthNotifying }) => isWorthNotifying)
  const facts = await readAlertFacts(
    em,
    worth.flatMap(({ alert }) => (alert === null ? [] : [alert.id])),
  )
  const due = worth.map((row) => readRow(row, facts))
  return { taken: rows.length, due }
}

/** SQL of the log of what `removed` holds of expired notices. */
const NOTED_EXPIRED = `insert into deliveries (user_id, channel_id, subject_id, about, attempt, outcome, reason)
  select c.user_id, c.id, r.subject_id, coalesce(e.type, r.kind), r.attempts, 'expired', 'It had expired before it could be sent'
  from removed r join channels c on c.id = r.channel_id
  left join webhook_events e on r.kind = 'event' and e.id = r.subject_id
  where r.expires_at <= now()`

/** Notes the expired ones; others have become pointless. */
async function dropNeedless(em: EntityManager, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  await em.execute(
    `with removed as (delete from outbox where id = any(?::bigint[]) returning *),
     noted as (${NOTED_EXPIRED})
     update channels set retry_at = null where failures > 0 and id in (select channel_id from removed)`,
    [asArray(rows.map(({ id }) => id))],
  )
}

const readRow = (
  { kind, signal, order, alert, day, event, channel, isWorthNotifying: _, ...row }: Row,
  facts: Awaited<ReturnType<typeof readAlertFacts>>,
): DueNotice => ({
  ...row,
  expiresAt: new Date(row.expiresAt),
  news: newsOf(kind, {
    signal,
    order,
    alert: alert && { ...alert, ...facts.get(alert.id)! },
    day,
    event,
    channel,
  }),
})

function newsOf(
  kind: News['kind'],
  row: Pick<Row, 'signal' | 'order' | 'day' | 'event' | 'channel'> & { alert: NotifiedAlert | null },
): News {
  switch (kind) {
    case 'alert':
      return { kind, alert: row.alert! }
    case 'summary':
      return { kind, day: row.day! }
    case 'paused':
      return { kind, channel: row.channel! }
    case 'event':
      return { kind, event: row.event! }
    case 'check':
      return { kind }
    case 'filled':
      return { kind, filled: row.signal ? { signal: row.signal } : { order: row.order! } }
    case 'waiting':
    case 'settled':
    case 'closed':
    case 'refused':
      return { kind, signal: row.signal! }
  }
}

/** Removes expired rows, orphans, and old `closings_notified`. Safe to repeat. */
export async function removeExpiredNotices(em: EntityManager): Promise<void> {
  await em.execute(
    // Cleanup and trades never wait for each other's locks.
    `with removed as (
       delete from outbox where id in (
         select o.id from outbox o
         where o.expires_at < now() or not exists (select from channels p where p.id = o.channel_id)
         for update skip locked) returning *)
     ${NOTED_EXPIRED}`,
  )
  await em.execute(`delete from closings_notified where closed_at < now() - interval '1 day'`)
}
