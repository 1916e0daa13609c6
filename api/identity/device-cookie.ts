import { DEVICE_COOKIE } from '../http/caller.ts'
import type { CookieJar } from '../http/cookies.ts'
import { KNOWN_DEVICE_DAYS, newDeviceToken, type DeviceKeys, type DeviceOwner } from './known-device.ts'

/** A program, which has no jar, is not remembered. */
export type RememberDevice = (jar: CookieJar | null, owner: DeviceOwner) => void

/** Kept past the end of the session: it counts for the next sign-in. */
export const deviceCookie =
  (keys: DeviceKeys): RememberDevice =>
  (jar, owner) =>
    jar?.keep(DEVICE_COOKIE, newDeviceToken(keys, owner), KNOWN_DEVICE_DAYS * 24 * 60 * 60)
