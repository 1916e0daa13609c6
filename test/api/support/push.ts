import { pushKeys } from '#config/push-keys.ts'
import type { PushDependencies } from '#api/push/delivery.ts'
import { pushServices } from '#api/push/services.ts'
import { createECDH, randomBytes } from 'node:crypto'

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
