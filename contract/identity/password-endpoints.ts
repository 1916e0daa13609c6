import { endpoints } from '../endpoint.ts'
import { z } from 'zod'
import { messageAnswer } from './answers.ts'
import { EXAMPLE_PASSWORD, EXAMPLE_RANDOM_TEXT, EXAMPLE_USER } from './examples.ts'
import * as schemas from './schema.ts'

const done = (message: string) => ({
  description: message,
  schema: messageAnswer,
  examples: { done: { message } },
})

export const passwordEndpoints = endpoints({
  'POST /api/v1/auth/forgot-password': {
    tag: 'Sign-in',
    summary: 'Ask for a link to choose a new password',
    description: 'Answers the same for every address.',
    body: {
      schema: z.strictObject(schemas.forgottenPassword),
      examples: { address: { email: EXAMPLE_USER.email } },
    },
    answers: { 202: done('If there is an account with this address, a link is on its way to it') },
    errors: [],
  },
  'POST /api/v1/auth/reset-password': {
    tag: 'Sign-in',
    summary: 'Choose a new password by the link that was sent',
    description: 'Ends all sessions. The second factor is still asked for at the next sign-in.',
    body: {
      schema: z.strictObject(schemas.passwordReset),
      examples: { 'a new password': { token: EXAMPLE_RANDOM_TEXT, password: EXAMPLE_PASSWORD } },
    },
    answers: { 200: done('The new password is set; all sessions were ended') },
    errors: ['LINK_INVALID', 'TOO_BUSY'],
  },
  'PUT /api/v1/auth/password': {
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
  },
})
