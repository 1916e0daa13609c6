import type { UserRecord } from '#db/identity/users.ts'
import { ACCESS_JWT_SECONDS, signAccessJwt, type SigningKeys } from '../access/access-jwt.ts'
import type { ApiContext } from '../http/context.ts'
import type { SignedInAnswer } from './answers.ts'
import type { DeviceCookie } from './device-cookie.ts'
import { presentUser } from './record.ts'
import type { RefreshCookie } from './refresh-cookie.ts'
import type { OpenedSession } from './session-commands.ts'

/**
 * Hands out what a session is used by: an access JWT, and a refresh token in the answer or the cookie. With a user it
 * is a sign-in, after which the device is known.
 */
export function handOutSessions(
  signingKeys: SigningKeys,
  cookie: RefreshCookie,
  rememberDevice: DeviceCookie,
) {
  return (
    http: ApiContext,
    session: OpenedSession,
    { keep, user }: { keep: 'token' | 'cookie'; user?: UserRecord },
  ): SignedInAnswer => {
    if (keep === 'cookie') cookie.set(http, session.refreshToken)
    if (user) rememberDevice(http, user)
    return {
      accessToken: signAccessJwt(signingKeys, session),
      expiresIn: ACCESS_JWT_SECONDS,
      ...(keep === 'token' && { refreshToken: session.refreshToken }),
      ...(user && { user: presentUser(user) }),
    }
  }
}

export type HandOutSession = ReturnType<typeof handOutSessions>
