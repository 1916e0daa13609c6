import { z } from 'zod'
import { anyone, inPerson } from '../access/policy.ts'
import { route } from '../route/route.ts'
import { messageAnswer } from './answers.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import { EXAMPLE_PASSWORD, EXAMPLE_RANDOM_TEXT, EXAMPLE_USER } from './examples.ts'
import { ownUser } from './own-user.ts'
import { changePassword, requestPasswordReset, resetPassword } from './password-commands.ts'
import * as schemas from './schema.ts'

const done = (message: string) => ({
  description: message,
  schema: messageAnswer,
  examples: { done: { message } },
})

export const passwordRoutes = [
  route({
    name: 'POST /api/v1/auth/forgot-password',
    access: anyone('auth'),
    tag: 'Sign-in',
    summary: 'Ask for a link to choose a new password',
    description: 'Answers the same for every address.',
    body: {
      schema: z.strictObject(schemas.forgottenPassword),
      examples: { address: { email: EXAMPLE_USER.email } },
    },
    answers: { 202: done('If there is an account with this address, a link is on its way to it') },
    errors: [],
    run: ({ em, caller, body: { email } }, deps: IdentityDeps) => {
      requestPasswordReset(deps, em, email, caller)
      return { message: 'If there is an account with this address, a link is on its way to it' }
    },
  }),
  route({
    name: 'POST /api/v1/auth/reset-password',
    access: anyone('auth'),
    tag: 'Sign-in',
    summary: 'Choose a new password by the link that was sent',
    description: 'Ends all sessions. The second factor is still asked for at the next sign-in.',
    body: {
      schema: z.strictObject(schemas.passwordReset),
      examples: { 'a new password': { token: EXAMPLE_RANDOM_TEXT, password: EXAMPLE_PASSWORD } },
    },
    answers: { 200: done('The new password is set; all sessions were ended') },
    errors: ['LINK_INVALID', 'TOO_BUSY'],
    deadline: 'within',
    run: async ({ em, caller, body, http }, deps: SessionDeps) => {
      const owner = await resetPassword(deps, em, body, caller)
      // The person is known from here on, so that strangers who try passwords do not lock them out again;
      // not with a second factor, because a mailbox does not prove it.
      if (!owner.hasSecondFactor) deps.rememberDevice(deps.cookieDoor.jarOf(http), owner)
      return { message: 'The new password is set; all sessions were ended' }
    },
  }),
  route({
    name: 'PUT /api/v1/auth/password',
    access: inPerson({ tier: 'password' }),
    tag: 'Sign-in',
    summary: 'Change the password',
    description: 'Ends all other sessions.',
    body: {
      schema: z.strictObject(schemas.passwordChange),
      examples: {
        'without a second factor': {
          currentPassword: 'the old one, which was too short',
          newPassword: EXAMPLE_PASSWORD,
        },
      },
    },
    answers: { 200: done('The new password is set; your other sessions were ended') },
    errors: ['WRONG_PASSWORD', 'WRONG_CODE', 'TOO_BUSY'],
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
