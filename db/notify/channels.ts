import { randomUUID } from 'node:crypto'
import type { ChannelKind, EventKind, Urgency } from '#domain/alert/channels.ts'
import { asArray } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'

export interface NotifyChannel {
  id: string
  kind: ChannelKind
  name: string
  /** Where it leads, without secrets. */
  service: string
  urgencies: Urgency[]
  events: EventKind[]
  createdAt: string
  lastDeliveredAt: string | null
  /** Instant since which every message fails, to be tried again; null while they are taken. */
  failingSince: string | null
  /** Instant since which every message is refused. */
  refusedSince: string | null
  refusal: string | null
  pausedAt: string | null
  pauseReason: string | null
}

/** A browser's subscription; its endpoint suffices to send. */
export interface PushAddress {
  endpoint: string
  /** Public key and secret, base64url (RFC 8291, section 2). */
  p256dh: string
  auth: string
  keyId: string
}

/** Where a message goes: exactly one of `push` and `sealed`. */
export interface ChannelTarget {
  id: string
  userId: string
  kind: ChannelKind
  service: string
  push: PushAddress | null
  sealed: string | null
}

const MAX_CHANNELS = 30
const MAX_BROWSERS = 10

const CHANNEL_COLUMNS = `c.id, c.kind, c.name, c.service, c.urgencies, c.events, c.created_at as "createdAt",
  c.last_delivered_at as "lastDeliveredAt", c.failing_since as "failingSince", c.refused_since as "refusedSince", c.refusal,
  c.paused_at as "pausedAt", c.pause_reason as "pauseReason"`

/** SQL of a {@link ChannelTarget} as JSON. */
export const TARGET_OF = (
  channel: string,
): string => `jsonb_build_object('id', ${channel}.id, 'userId', ${channel}.user_id,
  'kind', ${channel}.kind, 'service', ${channel}.service, 'sealed', ${channel}.sealed_settings,
  'push', case when ${channel}.kind = 'push' then jsonb_build_object('endpoint', ${channel}.endpoint, 'p256dh', ${channel}.p256dh,
    'auth', ${channel}.auth, 'keyId', ${channel}.key_id) end)`

const OF_LIVE_SESSIONS = `(c.session_id is null or exists (select from sessions s
  where s.id = c.session_id and s.ended_at is null and s.expires_at > now()))`

export function listChannels(em: EntityManager, userId: string): Promise<NotifyChannel[]> {
  return em.execute(
    `select ${CHANNEL_COLUMNS} from channels c where c.user_id = ? and ${OF_LIVE_SESSIONS}
     order by c.created_at desc, c.id desc`,
    [userId],
  )
}

export async function findTarget(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<ChannelTarget | null> {
  const [row] = await em.execute<{ target: ChannelTarget }[]>(
    `select ${TARGET_OF('c')} as target from channels c where c.id = ? and c.user_id = ? and ${OF_LIVE_SESSIONS}`,
    [id, userId],
  )
  return row?.target ?? null
}

/** Of any owner. */
export async function findChannelTarget(
  em: EntityManager,
  id: string,
): Promise<(ChannelTarget & { isPaused: boolean }) | null> {
  const [row] = await em.execute<{ target: ChannelTarget; isPaused: boolean }[]>(
    `select ${TARGET_OF('c')} as target, c.paused_at is not null as "isPaused" from channels c where c.id = ?`,
    [id],
  )
  return row ? { ...row.target, isPaused: row.isPaused } : null
}

/**
 * Replaces any owner's subscription of the endpoint; drops those of the session that have ended, and the oldest beyond
 * the limit. In a transaction.
 */
export async function saveBrowser(
  em: EntityManager,
  given: PushAddress & {
    userId: string
    sessionId: string
    name: string
    service: string
    urgencies: readonly Urgency[]
  },
): Promise<{ channel: NotifyChannel; isNew: boolean }> {
  const { userId, sessionId, endpoint, p256dh, auth, keyId, name, service, urgencies } = given
  const [row] = await em.execute<(NotifyChannel & { isNew: boolean })[]>(
    `insert into channels as c (id, user_id, kind, session_id, endpoint, p256dh, auth, key_id, name, service, urgencies)
     values (?, ?, 'push', ?, ?, ?, ?, ?, ?, ?, ?::text[])
     on conflict (endpoint) do update set session_id = excluded.session_id, p256dh = excluded.p256dh,
       auth = excluded.auth, key_id = excluded.key_id, name = excluded.name,
       failures = 0, failing_since = null, retry_at = null, refused_since = null, refusal = null,
       paused_at = null, pause_reason = null
     returning ${CHANNEL_COLUMNS}, xmax = 0 as "isNew"`,
    [randomUUID(), userId, sessionId, endpoint, p256dh, auth, keyId, name, service, asArray(urgencies)],
  )
  await em.execute(
    `delete from channels where user_id = ? and kind = 'push' and id <> ?
       and (session_id = ? and paused_at is not null or id in (
         select id from channels where user_id = ? and kind = 'push' and id <> ?
         order by created_at desc, id desc offset ?))`,
    [userId, row!.id, sessionId, userId, row!.id, MAX_BROWSERS - 1],
  )
  const { isNew, ...channel } = row!
  return { channel, isNew }
}

export interface NewChannel {
  id: string
  userId: string
  kind: Exclude<ChannelKind, 'push'>
  name: string
  service: string
  urgencies: readonly Urgency[]
  events: readonly EventKind[]
  sealed: string
}

/** Null beyond the limit. In a transaction that locks the user. */
export async function addChannel(em: EntityManager, given: NewChannel): Promise<NotifyChannel | null> {
  const { id, userId, kind, name, service, urgencies, events, sealed } = given
  const [row] = await em.execute<NotifyChannel[]>(
    `insert into channels as c (id, user_id, kind, name, service, urgencies, events, sealed_settings)
     select ?, ?, ?, ?, ?, ?::text[], ?::text[], ?
     where (select count(*) from channels where user_id = ? and kind <> 'push') < ?
     returning ${CHANNEL_COLUMNS}`,
    [id, userId, kind, name, service, asArray(urgencies), asArray(events), sealed, userId, MAX_CHANNELS],
  )
  return row ?? null
}

export interface ChannelChange {
  name?: string | undefined
  urgencies?: readonly Urgency[] | undefined
  events?: readonly EventKind[] | undefined
  sealed?: string | undefined
}

/** Fields that are undefined stay as they are. */
export async function changeChannel(
  em: EntityManager,
  userId: string,
  id: string,
  { name, urgencies, events, sealed }: ChannelChange,
): Promise<NotifyChannel | null> {
  const [row] = await em.execute<NotifyChannel[]>(
    `update channels c set name = coalesce(?, name), urgencies = coalesce(?::text[], urgencies),
       events = coalesce(?::text[], events), sealed_settings = coalesce(?, sealed_settings)
     where id = ? and user_id = ? returning ${CHANNEL_COLUMNS}`,
    [
      name ?? null,
      urgencies ? asArray(urgencies) : null,
      events ? asArray(events) : null,
      sealed ?? null,
      id,
      userId,
    ],
  )
  return row ?? null
}

/** Its messages wait meanwhile. */
export async function pauseChannel(
  em: EntityManager,
  { id, userId }: Pick<ChannelTarget, 'id' | 'userId'>,
  reason: string,
): Promise<void> {
  await em.execute(
    `update channels set paused_at = now(), pause_reason = ? where id = ? and user_id = ? and paused_at is null`,
    [reason, id, userId],
  )
}

/** Its messages that waited are sent now. */
export async function resumeChannel(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<NotifyChannel | null> {
  const [row] = await em.execute<NotifyChannel[]>(
    `update channels c set paused_at = null, pause_reason = null, failures = 0, failing_since = null, retry_at = null,
       refused_since = null, refusal = null
     where id = ? and user_id = ? returning ${CHANNEL_COLUMNS}`,
    [id, userId],
  )
  return row ?? null
}

/** SQL of a channel whose service took a message, or a refusal: its one parameter is the reason. */
export const IS_TAKEN = `last_delivered_at = now(), failures = 0, failing_since = null, retry_at = null,
  refused_since = null, refusal = null`
export const IS_REFUSED =
  'failures = 0, failing_since = null, retry_at = null, refused_since = coalesce(refused_since, now()), refusal = ?'

export async function noteTaken(em: EntityManager, userId: string, id: string): Promise<void> {
  await em.execute(`update channels set ${IS_TAKEN} where id = ? and user_id = ?`, [id, userId])
}

export async function noteRefused(
  em: EntityManager,
  userId: string,
  id: string,
  reason: string,
): Promise<void> {
  await em.execute(`update channels set ${IS_REFUSED} where id = ? and user_id = ?`, [reason, id, userId])
}

export async function removeChannel(em: EntityManager, userId: string, id: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>('delete from channels where id = ? and user_id = ? returning id', [
    id,
    userId,
  ])
  return rows.length > 0
}
