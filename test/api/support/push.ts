import { pushKeys } from '#config/push-keys.ts'
import { type PushDependencies, pushServices } from '#api/notify/web-push/delivery.ts'
import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import type { NotifyDeps } from '#api/notify/commands.ts'
import { createOutgoing } from '#api/notify/outgoing.ts'
import { saveBrowser } from '#db/notify/channels.ts'
import { URGENCIES } from '#domain/alert/channels.ts'
import { recordingMailer } from './identity.ts'

/** What the application needs for notifications: a fresh key, and push services of these origins beside the known ones. */
export function pushForTests(origins: readonly string[] = []): PushDependencies {
  const ring = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) }
  return {
    keys: pushKeys(ring),
    isPushService: pushServices(origins),
    subject: 'https://trader.example.com',
  }
}

/** What channels need: a mailer that keeps its mails, addresses of this machine, and what a test says. */
export function notifyForTests(given: Partial<NotifyDeps> = {}): NotifyDeps {
  const outgoing = createOutgoing({ allowedNetworks: '127.0.0.0/8', trustedOrigins: [] })
  return {
    request: outgoing.request,
    requestService: given.request ?? outgoing.request,
    addressFault: outgoing.faultOf,
    publicUrl: 'https://trader.example.com',
    telegramUrl: 'http://127.0.0.1:9',
    mailer: recordingMailer(),
    push: pushForTests(),
    now: Date.now,
    ...given,
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
    channel: {
      kind: 'push' as const,
      name: 'a phone',
      settings: {
        endpoint,
        keys: { p256dh: curve.getPublicKey('base64url'), auth: auth.toString('base64url') },
      },
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
  const { name, settings } = made.channel
  await saveBrowser(em.fork(), {
    endpoint,
    ...settings.keys,
    name,
    keyId,
    userId,
    sessionId,
    service: new URL(endpoint).origin,
    urgencies: URGENCIES,
  })
  return made
}
