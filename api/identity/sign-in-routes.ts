import { unauthenticated } from '../access/credential.ts'
import { anyone, inPerson } from '../access/policy.ts'
import { Reply, route } from '../route/route.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import { ownUser } from './own-user.ts'
import { checkNewPassword } from './password-commands.ts'
import { presentUser } from './record.ts'
import { confirmRegistration, register } from './registration-commands.ts'
import { closeSession, renewSession } from './session-commands.ts'
import { forgetRefreshToken, placeOfSession, presentedSession } from './session-place.ts'
import { signIn } from './sign-in-commands.ts'
import { renewVerification } from './verification-commands.ts'
import { signInEndpoints } from '#contract/identity/sign-in-endpoints.ts'

export const signInRoutes = [
  route(signInEndpoints['POST /api/v1/auth/register'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body }, deps: IdentityDeps) => {
      checkNewPassword(body.password, body.email, 'password')
      const user = await register(deps, em, body, caller)
      if (user) return { user: presentUser(user) }
      const message = 'If this address can be registered, a message with a link is on its way to it'
      return new Reply(202, { message })
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/register/confirm'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body }, deps: IdentityDeps) => ({
      user: presentUser(await confirmRegistration(deps, em, body, caller)),
    }),
  }),
  route(signInEndpoints['POST /api/v1/auth/login'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body: { session: keep, ...credentials }, http }, deps: SessionDeps) => {
      const place = placeOfSession(deps.cookieDoor, http, keep)
      const step = await signIn(deps, em, { ...credentials, keep }, caller)
      if (!step.isComplete) return { mfaRequired: true as const, mfaToken: step.mfaToken }
      return deps.handOutSession(place, step.session, step.user)
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/refresh'], {
    access: anyone('refresh'),
    // A session is handed out only once, so the answer may come late.
    deadline: 'within',
    run: async ({ em, caller, body: { refreshToken }, http }, deps: SessionDeps) => {
      const presented = presentedSession(deps.cookieDoor, http, refreshToken)
      const session = presented && (await renewSession(em, presented.session, caller))
      if (!session) throw unauthenticated()
      return deps.handOutSession(presented.place, session)
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/logout'], {
    access: anyone('default'),
    run: async ({ em, caller, body: { refreshToken }, http }, { cookieDoor }: SessionDeps) => {
      const presented = presentedSession(cookieDoor, http, refreshToken)
      if (!presented) return { message: 'Signed out' }
      if (!(await closeSession(em, presented.session, caller))) throw unauthenticated()
      if (presented.place.keep === 'cookie') forgetRefreshToken(presented.place.jar)
      return { message: 'Signed out' }
    },
  }),
  route(signInEndpoints['POST /api/v1/auth/verify'], {
    // Nobody can resume trading without it.
    access: inPerson({ reserve: 'everybody' }),
    deadline: 'within',
    run: async ({ caller, body: proof }, deps: IdentityDeps) => {
      await renewVerification(deps, caller, { user: await ownUser(caller), proof })
      return { message: 'Verified' }
    },
  }),
]
