import { anyone, inPerson } from '../access/policy.ts'
import { route } from '../route/route.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import { ownUser } from './own-user.ts'
import { changePassword, requestPasswordReset, resetPassword } from './password-commands.ts'
import { passwordEndpoints } from '#contract/identity/password-endpoints.ts'

export const passwordRoutes = [
  route(passwordEndpoints['POST /api/v1/auth/forgot-password'], {
    access: anyone('auth'),
    run: ({ em, caller, body: { email } }, deps: IdentityDeps) => {
      requestPasswordReset(deps, em, email, caller)
      return { message: 'If there is an account with this address, a link is on its way to it' }
    },
  }),
  route(passwordEndpoints['POST /api/v1/auth/reset-password'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body, http }, deps: SessionDeps) => {
      const owner = await resetPassword(deps, em, body, caller)
      // The person is known from here on, so that strangers who try passwords do not lock them out again;
      // not with a second factor, because a mailbox does not prove it.
      if (!owner.hasSecondFactor) deps.rememberDevice(deps.cookieDoor.jarOf(http), owner)
      return { message: 'The new password is set; all sessions were ended' }
    },
  }),
  route(passwordEndpoints['PUT /api/v1/auth/password'], {
    access: inPerson({ tier: 'password' }),
    deadline: 'within',
    run: async ({ caller, body, http }, deps: SessionDeps) => {
      const { currentPassword: password, newPassword, code } = body
      const user = await ownUser(caller)
      const passwordHash = await changePassword(
        deps,
        caller,
        { user, proof: { password, code } },
        newPassword,
      )
      deps.rememberDevice(deps.cookieDoor.jarOf(http), { id: user.id, passwordHash })
      return { message: 'The new password is set; your other sessions were ended' }
    },
  }),
]
