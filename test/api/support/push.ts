import { pushKeys } from '#config/push-keys.ts'
import { type PushDependencies, pushServices } from '#api/push/delivery.ts'
import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import { saveSubscription } from '#db/notify/subscriptions.ts'

/** What the application needs for notifications: a fresh key, and push services of these origins beside the known ones. */
export function pushForTests(origins: readonly string[] = []): PushDependencies {
  const ring = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) }
  return {
    keys: pushKeys(ring),
    isPushService: pushServices(origins),
    subject: 'https://trader.example.com',
  }
}

/** A browser that takes notifications at an endpoint: its own keys, and what it tells of them. */
export function browserForTests(endpoint: string) {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  const auth = randomBytes(16)
  return {
    curve,
    auth,
    subscription: {
      endpoint,
      keys: { p256dh: curve.getPublicKey('base64url'), auth: auth.toString('base64url') },
      device: 'a phone',
    },
  }
}

/** Stores such a browser of a user, in a session of its own. */
export async function subscribeBrowser(
  em: EntityManager,
  userId: string,
  { endpoint = `https://push.example/${randomUUID()}`, keyId = 'key' } = {},
) {
  const sessionId = randomUUID()
  await em.execute(
    `insert into sessions (id, user_id, kind, name, ip, expires_at)
     values (?, ?, 'web', 'phone', '127.0.0.1', now() + interval '1 day')`,
    [sessionId, userId],
  )
  const made = browserForTests(endpoint)
  const { keys, device } = made.subscription
  await saveSubscription(em.fork(), { endpoint, ...keys, device, keyId, userId, sessionId })
  return made
}
