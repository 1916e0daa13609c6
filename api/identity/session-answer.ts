import type { UserRecord } from '#db/identity/users.ts'
import { ACCESS_JWT_SECONDS, signAccessJwt, type SigningKeys } from '../access/access-jwt.ts'
import type { SignedInAnswer } from '#contract/identity/answers.ts'
import type { RememberDevice } from './known-device.ts'
import { presentUser } from './record.ts'
import { keepRefreshToken, type SessionPlace } from './session-place.ts'
import type { OpenedSession } from './session-commands.ts'

export const handOutSessions =
  (signingKeys: SigningKeys, rememberDevice: RememberDevice) =>
  (place: SessionPlace, session: OpenedSession, user?: UserRecord): SignedInAnswer => {
    const { refreshToken, renewalKey } = session
    if (place.keep === 'cookie') keepRefreshToken(place.jar, refreshToken)
    if (user) rememberDevice(place.jar, user)
    return {
      accessToken: signAccessJwt(signingKeys, session),
      expiresIn: ACCESS_JWT_SECONDS,
      ...(place.keep === 'token' && { refreshToken }),
      ...(renewalKey !== null && { renewalKey }),
      ...(user && { user: presentUser(user) }),
    }
  }

export type HandOutSession = ReturnType<typeof handOutSessions>
