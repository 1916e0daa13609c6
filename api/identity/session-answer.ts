import type { UserRecord } from '#db/identity/users.ts'
import type { ApiContext } from '../http/context.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ACCESS_JWT_SECONDS, signAccessJwt, type SigningKeys } from '../access/access-jwt.ts'
import type { DeviceCookie } from './device-cookie.ts'
import { presentUser } from './record.ts'
import type { RefreshCookie } from './refresh-cookie.ts'
import type { OpenedSession } from './session-commands.ts'

/**
 * Answers with what a session is used by: an access JWT, and a refresh token in the body or the cookie. With a user it
 * is a sign-in, after which the device is known.
 */
export function sessionAnswer(signingKeys: SigningKeys, cookie: RefreshCookie, rememberDevice: DeviceCookie) {
  return (
    ctx: ApiContext,
    session: OpenedSession,
    { keep, user }: { keep: 'token' | 'cookie'; user?: UserRecord },
  ): void => {
    if (keep === 'cookie') cookie.set(ctx, session.refreshToken)
    if (user) rememberDevice(ctx, user)
    const data = {
      accessToken: signAccessJwt(signingKeys, session),
      expiresIn: ACCESS_JWT_SECONDS,
      ...(keep === 'token' && { refreshToken: session.refreshToken }),
      ...(user && { user: presentUser(user) }),
    }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  }
}

export type SessionAnswer = ReturnType<typeof sessionAnswer>
