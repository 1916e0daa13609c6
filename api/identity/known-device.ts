import { createHmac, randomBytes } from 'node:crypto'
import { isSameHash } from '../http/access-token.ts'

/** After this many days without a sign-in a device is a stranger again. */
export const KNOWN_DEVICE_DAYS = 365

/** Keys by id, of which one signs and all verify; 256 bits each. */
export interface DeviceKeys {
  current: string
  keys: ReadonlyMap<string, Buffer>
}

/** For whom a device is known, and since which password: a new password makes strangers of all devices. */
export interface DeviceOwner {
  id: string
  passwordHash: string | null
}

/**
 * A text by which a device shows that its user has signed in from it. It does not sign anyone in: attempts from such a device
 * are counted apart, so that strangers who try passwords do not lock its user out (OWASP, "device cookies").
 *
 * @param nowMs milliseconds since 1970
 */
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

/** The id of a device that is known for its owner; null when it is not. */
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
