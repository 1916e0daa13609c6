import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../engine/database.ts'

export interface PushSubscription {
  id: string
  /** Address at its push service: a secret, which suffices to send. */
  endpoint: string
  device: string
  createdAt: Date
  lastDeliveredAt: Date | null
  /** Instant since which every message is refused. */
  refusedSince: Date | null
  refusal: string | null
}

export interface PushAddress {
  endpoint: string
  /** Public key and secret, base64url (RFC 8291, section 2). */
  p256dh: string
  auth: string
  keyId: string
}

export type PushTarget = PushAddress & { id: string }

/** SQL: origin of an http or https endpoint. */
export const SERVICE_OF = (endpoint: string): string => `substring(${endpoint} from '^[^/]*//[^/]*')`

const MAX_DEVICES = 10

type Row = Omit<PushSubscription, 'createdAt' | 'lastDeliveredAt' | 'refusedSince'> & {
  createdAt: string
  lastDeliveredAt: string | null
  refusedSince: string | null
}

const SUBSCRIPTION_COLUMNS = `id, endpoint, device, created_at as "createdAt", last_delivered_at as "lastDeliveredAt",
  refused_since as "refusedSince", refusal`

const read = ({ createdAt, lastDeliveredAt, refusedSince, ...row }: Row): PushSubscription => ({
  ...row,
  createdAt: new Date(createdAt),
  lastDeliveredAt: lastDeliveredAt === null ? null : new Date(lastDeliveredAt),
  refusedSince: refusedSince === null ? null : new Date(refusedSince),
})

const OF_LIVE_SESSIONS = `exists (select from sessions s
  where s.id = session_id and s.ended_at is null and s.expires_at > now())`

export async function listSubscriptions(em: EntityManager, userId: string): Promise<PushSubscription[]> {
  const rows = await em.execute<Row[]>(
    `select ${SUBSCRIPTION_COLUMNS} from push_subscriptions where user_id = ? and ${OF_LIVE_SESSIONS}
     order by created_at desc, id desc`,
    [userId],
  )
  return rows.map(read)
}

export function findTargets(em: EntityManager, userId: string): Promise<PushTarget[]> {
  return em.execute(
    `select id, endpoint, p256dh, auth, key_id as "keyId" from push_subscriptions
     where user_id = ? and ${OF_LIVE_SESSIONS}`,
    [userId],
  )
}

/** Replaces any owner's subscription of the endpoint; drops the oldest beyond the limit. In a transaction. */
export async function saveSubscription(
  em: EntityManager,
  given: PushAddress & { userId: string; sessionId: string; device: string },
): Promise<{ subscription: PushSubscription; isNew: boolean }> {
  const { userId, sessionId, endpoint, p256dh, auth, keyId, device } = given
  const [row] = await em.execute<(Row & { isNew: boolean })[]>(
    `insert into push_subscriptions as p (id, user_id, session_id, endpoint, p256dh, auth, key_id, device)
     values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (endpoint) do update set session_id = excluded.session_id, p256dh = excluded.p256dh,
       auth = excluded.auth, key_id = excluded.key_id, device = excluded.device,
       failures = 0, retry_at = null, refused_since = null, refusal = null
     returning ${SUBSCRIPTION_COLUMNS}, xmax = 0 as "isNew"`,
    [randomUUID(), userId, sessionId, endpoint, p256dh, auth, keyId, device],
  )
  await em.execute(
    `delete from push_subscriptions where user_id = ? and id in (
       select id from push_subscriptions where user_id = ? and id <> ?
       order by created_at desc, id desc offset ?)`,
    [userId, userId, row!.id, MAX_DEVICES - 1],
  )
  const { isNew, ...subscription } = row!
  return { subscription: read(subscription), isNew }
}

export async function removeSubscription(em: EntityManager, userId: string, id: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    'delete from push_subscriptions where id = ? and user_id = ? returning id',
    [id, userId],
  )
  return rows.length > 0
}

export async function recordDelivered(em: EntityManager, userId: string, id: string): Promise<void> {
  await em.execute(
    `update push_subscriptions set last_delivered_at = now(), failures = 0, retry_at = null,
       refused_since = null, refusal = null where id = ? and user_id = ?`,
    [id, userId],
  )
}

export async function recordRefused(
  em: EntityManager,
  userId: string,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await em.execute(
    `update push_subscriptions set refused_since = coalesce(refused_since, now()), refusal = ?
     where id = ? and user_id = ?`,
    [reason, id, userId],
  )
}
