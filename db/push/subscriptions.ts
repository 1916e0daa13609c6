import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../engine/database.ts'

/** A browser that takes notifications, as its owner sees it. */
export interface PushSubscription {
  id: string
  /** Where the push service of the browser takes messages for it: whoever knows the address can send there. */
  endpoint: string
  /** As its owner calls it. */
  device: string
  createdAt: Date
  lastDeliveredAt: Date | null
  /** Since when its push service refuses every message for it, and its answer; null while it takes them. */
  refusedSince: Date | null
  refusal: string | null
}

/** The address of a message to a browser, and the keys of its encryption. */
export interface PushAddress {
  endpoint: string
  /** Its public key and its secret, in base64url (RFC 8291, section 2). */
  p256dh: string
  auth: string
  /** The key of the service that the browser takes messages of. */
  keyId: string
}

/** A subscription that messages can be sent to. */
export type PushTarget = PushAddress & { id: string }

/** The push service of an endpoint, by its origin as it was given. An endpoint is an address of http or https. */
export const SERVICE_OF = (endpoint: string): string => `substring(${endpoint} from '^[^/]*//[^/]*')`

/** More than this are no devices of one person; the oldest goes. */
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

/** A browser that is signed out takes nothing. */
const OF_LIVE_SESSIONS = `exists (select from sessions s
  where s.id = session_id and s.ended_at is null and s.expires_at > now())`

/** A user's subscriptions of browsers that are signed in, newest first. */
export async function listSubscriptions(em: EntityManager, userId: string): Promise<PushSubscription[]> {
  const rows = await em.execute<Row[]>(
    `select ${SUBSCRIPTION_COLUMNS} from push_subscriptions where user_id = ? and ${OF_LIVE_SESSIONS}
     order by created_at desc, id desc`,
    [userId],
  )
  return rows.map(read)
}

/** Where the messages to a user go. */
export function findTargets(em: EntityManager, userId: string): Promise<PushTarget[]> {
  return em.execute(
    `select id, endpoint, p256dh, auth, key_id as "keyId" from push_subscriptions
     where user_id = ? and ${OF_LIVE_SESSIONS}`,
    [userId],
  )
}

/**
 * Keeps where messages to a browser go, in the place of an earlier subscription with the same endpoint, whoever it
 * belonged to; the oldest ones beyond the most that a user may have are removed. Within a transaction.
 *
 * @returns the subscription, and whether it is a new one of this user
 */
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
    'run',
  )
  const { isNew, ...subscription } = row!
  return { subscription: read(subscription), isNew }
}

/** Removes a subscription. False when the user has no such one. */
export async function removeSubscription(em: EntityManager, userId: string, id: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    'delete from push_subscriptions where id = ? and user_id = ? returning id',
    [id, userId],
  )
  return rows.length > 0
}

/** The push service has taken a message for it: whatever failed before is over. */
export async function recordDelivered(em: EntityManager, userId: string, id: string): Promise<void> {
  await em.execute(
    `update push_subscriptions set last_delivered_at = now(), failures = 0, retry_at = null,
       refused_since = null, refusal = null where id = ? and user_id = ?`,
    [id, userId],
    'run',
  )
}

/** The push service refuses a message for it, and would refuse it again. */
export async function recordRefused(
  em: EntityManager,
  userId: string,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await em.execute(
    `update push_subscriptions set refused_since = coalesce(refused_since, now()), refusal = ?
     where id = ? and user_id = ?`,
    [reason, id, userId],
    'run',
  )
}
