import { createHmac, randomBytes } from 'node:crypto'
import { isSameHash } from '../http/access-token.ts'
import { DEVICE_COOKIE } from '../http/caller.ts'
import type { CookieJar } from '../http/cookies.ts'

/** Days without a sign-in. */
const KNOWN_DEVICE_DAYS = 365

export interface DeviceKeys {
  current: string
  keys: ReadonlyMap<string, Buffer>
}

export interface DeviceOwner {
  id: string
  passwordHash: string | null
}

/** Signs nobody in: attempts are counted apart, so that strangers lock nobody out (OWASP). */
export function newDeviceToken(
  { current, keys }: DeviceKeys,
  owner: DeviceOwner,
  nowMs = Date.now(),
): string {
  const deviceId = randomBytes(16).toString('base64url')
  const since = Math.floor(nowMs / 1_000).toString(36)
  return [current, deviceId, since, signature(keys.get(current)!, owner, deviceId, since)].join('.')
}

const DEVICE_SHAPE = /^([\w-]{1,32})\.([\w-]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/

/** Null for a device that its owner does not know. */
export function knownDeviceId(
  { keys }: DeviceKeys,
  owner: DeviceOwner,
  token: string,
  nowMs = Date.now(),
): string | null {
  const [, keyId = '', deviceId = '', since = '', signed = ''] = DEVICE_SHAPE.exec(token) ?? []
  const key = keys.get(keyId)
  if (!key || !isSameHash(signed, signature(key, owner, deviceId, since))) return null
  const age = nowMs - Number.parseInt(since, 36) * 1_000
  return age <= KNOWN_DEVICE_DAYS * 24 * 60 * 60 * 1_000 ? deviceId : null
}

// JSON keeps the parts apart whatever they hold.
const signature = (key: Buffer, { id, passwordHash }: DeviceOwner, deviceId: string, since: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([id, passwordHash, deviceId, since]))
    .digest('base64url')

/** A program, which has no jar, is not remembered. */
export type RememberDevice = (jar: CookieJar | null, owner: DeviceOwner) => void

/** Kept past the end of the session: it counts for the next sign-in. */
export const deviceCookie =
  (keys: DeviceKeys): RememberDevice =>
  (jar, owner) =>
    jar?.keep(DEVICE_COOKIE, newDeviceToken(keys, owner), KNOWN_DEVICE_DAYS * 24 * 60 * 60)
