import type { EntityManager } from '../engine/database.ts'
import { sliceOfRows, type ListOrder, type Page, type Slice } from '../engine/page.ts'
import { IS_REFUSED, IS_TAKEN } from './channels.ts'
import type { DueNotice } from './news.ts'

/** How an attempt ended. `failed` is tried again, the others are final. */
type DeliveryOutcome = 'taken' | 'failed' | 'refused' | 'gone' | 'expired'

export interface NotedDelivery {
  id: string
  channelId: string
  subjectId: string
  about: string
  attempt: number
  at: string
  outcome: DeliveryOutcome
  reason: string | null
}

const aboutOf = ({ news }: DueNotice): string => (news.kind === 'event' ? news.event.type : news.kind)

const NOTED = `insert into deliveries (user_id, channel_id, subject_id, about, attempt, outcome, reason)
  select user_id, id, ?, ?, ?, ?, ? from channels where id = ?`

const noted = (due: DueNotice, outcome: DeliveryOutcome, reason: string | null): unknown[] => [
  due.subjectId,
  aboutOf(due),
  due.attempts,
  outcome,
  reason,
  due.target.id,
]

/** After that long the receiver failed, and not single events: what waited for longer pauses is sent. */
const OUTAGE_MINUTES = 10

export async function recordTaken(em: EntityManager, due: DueNotice): Promise<void> {
  await em.execute(
    // Not awaited to be on the disk: a crash sends it again, under its id.
    `with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
     sent as (delete from outbox where id = ?), noted as (${NOTED}),
     released as (
       update outbox set due_at = now() where id in (
         select o.id from outbox o join channels c on c.id = o.channel_id
         where c.id = ? and c.failing_since < now() - interval '${OUTAGE_MINUTES} minutes'
           and o.kind = 'event' and o.due_at > now() and o.due_at < 'infinity' and o.id <> ? for update of o skip locked))
     update channels set ${IS_TAKEN} from relaxed where id = ?`,
    [due.id, ...noted(due, 'taken', null), due.target.id, due.id, due.target.id],
  )
}

/** `outcome`: refused or gone. Events are kept. */
export async function recordRefused(
  em: EntityManager,
  due: DueNotice,
  outcome: 'refused' | 'gone',
  reason: string,
): Promise<void> {
  await em.execute(
    `with dropped as (delete from outbox where id = ? and kind <> 'event'), noted as (${NOTED})
     update channels set ${IS_REFUSED} where id = ?`,
    [due.id, ...noted(due, outcome, reason), reason, due.target.id],
  )
}

export interface Postponed {
  reason: string
  /** Milliseconds until this message is due, and until the channel gets another one. */
  message: number
  channel: number
}

/** Messages that fail together count once for their channel. A channel that was paused meanwhile remains so. */
export async function recordFailed(
  em: EntityManager,
  due: DueNotice,
  { reason, message, channel }: Postponed,
): Promise<void> {
  await em.execute(
    `with postponed as (
       update outbox set due_at = now() + ? * interval '1 ms' where id = ? and due_at < 'infinity'
     ), noted as (${NOTED})
     update channels set failures = greatest(failures, ?), failing_since = coalesce(failing_since, now()),
       retry_at = now() + ? * interval '1 ms' where id = ?`,
    [
      Math.max(message, channel),
      due.id,
      ...noted(due, 'failed', reason),
      due.failures + 1,
      channel,
      due.target.id,
    ],
  )
}

export const DELIVERY_ORDER: ListOrder = { columns: [{ name: 'id', type: 'bigint' }], direction: 'desc' }

export const listDeliveries = (
  em: EntityManager,
  userId: string,
  channelId: string | undefined,
  page: Page,
): Promise<Slice<NotedDelivery>> =>
  sliceOfRows(
    em,
    {
      sql: `select id, channel_id as "channelId", subject_id as "subjectId", about, attempt, at, outcome, reason
            from deliveries where user_id = ?${channelId === undefined ? '' : ' and channel_id = ?'}`,
      parameters: [userId, ...(channelId === undefined ? [] : [channelId])],
    },
    DELIVERY_ORDER,
    page,
  )
