import type { ApiContext } from '../http/context.ts'
import { KNOWN_DEVICE_DAYS, newDeviceToken, type DeviceKeys, type DeviceOwner } from './known-device.ts'

const NAME = 'dt-device'
const SECURE_NAME = `__Host-${NAME}`

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

/** What a browser sends to be known by; null without it. */
export const presentedDeviceToken = (ctx: ApiContext): string | null =>
  ctx.cookies.get(SECURE_NAME) ?? ctx.cookies.get(NAME) ?? null
