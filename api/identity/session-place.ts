import type { ApiContext } from '../http/context.ts'
import type { CookieDoor, CookieJar } from '../http/cookies.ts'
import { ApiError } from '#contract/errors.ts'
import { SESSION_DAYS, type PresentedSession } from './session-commands.ts'

const COOKIE = 'dt-refresh'
const SECONDS = SESSION_DAYS * 24 * 60 * 60

export type SessionPlace = { keep: 'token'; jar: CookieJar | null } | { keep: 'cookie'; jar: CookieJar }

/** First, so that a refusal uses nothing up. Throws ORIGIN_REFUSED for a cookie of another page. */
export function placeOfSession(
  cookies: CookieDoor,
  http: ApiContext,
  keep: SessionPlace['keep'],
): SessionPlace {
  const jar = cookies.jarOf(http)
  if (keep === 'token') return { keep, jar }
  if (!jar) throw new ApiError('ORIGIN_REFUSED')
  return { keep, jar }
}

export const keepRefreshToken = (jar: CookieJar, refreshToken: string): void =>
  jar.keep(COOKIE, refreshToken, SECONDS)

export const forgetRefreshToken = (jar: CookieJar): void => jar.remove(COOKIE)

/** Body before cookie. Throws ORIGIN_REFUSED for a cookie from another page, where browsers send it too. */
export function presentedSession(
  cookies: CookieDoor,
  http: ApiContext,
  refreshToken: string | undefined,
): { session: PresentedSession; place: SessionPlace } | null {
  const renewalKey = http.get('Renewal-Key') || null
  if (refreshToken !== undefined)
    return {
      session: { refreshToken, renewalKey, isInCookie: false },
      place: placeOfSession(cookies, http, 'token'),
    }
  const inCookie = cookies.read(http, COOKIE)
  if (inCookie === null) return null
  return {
    session: { refreshToken: inCookie, renewalKey, isInCookie: true },
    place: placeOfSession(cookies, http, 'cookie'),
  }
}
