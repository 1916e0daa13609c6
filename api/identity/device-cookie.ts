import { DEVICE_COOKIES } from '../http/caller.ts'
import type { ApiContext } from '../http/context.ts'
import { KNOWN_DEVICE_DAYS, newDeviceToken, type DeviceKeys, type DeviceOwner } from './known-device.ts'

const [SECURE_NAME, NAME] = DEVICE_COOKIES

/** Remembers a browser as one from which its user has signed in. */
export type DeviceCookie = (ctx: ApiContext, owner: DeviceOwner) => void

/** Named and kept like the refresh cookie, but past the end of the session: it counts for the next sign-in. */
export function deviceCookie(publicUrl: string, keys: DeviceKeys): DeviceCookie {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  return (ctx, owner) => {
    ctx.cookies.secure = isSecure
    ctx.cookies.set(isSecure ? SECURE_NAME : NAME, newDeviceToken(keys, owner), {
      httpOnly: true,
      secure: isSecure,
      sameSite: 'strict',
      path: '/',
      maxAge: KNOWN_DEVICE_DAYS * 24 * 60 * 60 * 1_000,
      overwrite: true,
    })
  }
}
