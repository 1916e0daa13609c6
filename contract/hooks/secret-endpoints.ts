import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { endedSecretAnswer, newSecretAnswer, signingKeyAnswer, unsignedAnswer } from './answers.ts'
import { EXAMPLE_HOOK_SECRET, EXAMPLE_URL } from './examples.ts'
import { newSecret } from './schema.ts'

const hookPath = { hookId: idOf('HOOK_NOT_FOUND') }

export const ENDED = 'The secret has ended: requests to its address are refused'

export const UNSIGNED = 'The hook has no key for signatures any more'

export const hookSecretEndpoints = endpoints({
  'POST /api/v1/hooks/:hookId/secrets': {
    tag: 'Hooks',
    summary: 'Make a new secret of a hook',
    description:
      'The new address is in this answer and never shown again. The one before stays good for as long as `endsOthersAfter` says, so that senders can be told the new one; no more than these two are good.',
    path: hookPath,
    body: {
      schema: z.strictObject(newSecret),
      optional: true,
      examples: {
        'with a day to change over': { endsOthersAfter: 1440 },
        'the others end at once': { endsOthersAfter: 0 },
      },
    },
    answers: {
      201: {
        description: 'The new address',
        schema: newSecretAnswer,
        examples: { made: { url: EXAMPLE_URL, secret: { ...EXAMPLE_HOOK_SECRET, lastUsedAt: null } } },
      },
    },
    errors: ['HOOK_NOT_FOUND'],
  },
  'DELETE /api/v1/hooks/:hookId/secrets/:secretId': {
    tag: 'Hooks',
    summary: 'End a secret of a hook at once',
    description:
      'The last one may be ended too: nothing gets in by an address then, until there is a new secret.',
    path: { ...hookPath, secretId: idOf('HOOK_SECRET_NOT_FOUND') },
    answers: {
      200: { description: 'Ended', schema: endedSecretAnswer, examples: { ended: { message: ENDED } } },
    },
    errors: ['HOOK_NOT_FOUND', 'HOOK_SECRET_NOT_FOUND'],
  },
  'POST /api/v1/hooks/:hookId/signing-key': {
    tag: 'Hooks',
    summary: 'Make the key of a sender that signs',
    description:
      'In the place of the one before, which is no good any more. Requests that are signed with it come to the address without a secret.',
    path: hookPath,
    answers: {
      201: {
        description: 'The key',
        schema: signingKeyAnswer,
        examples: { made: { key: '8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718293a4b5c6d7e8f90' } },
      },
    },
    errors: ['HOOK_NOT_FOUND'],
  },
  'DELETE /api/v1/hooks/:hookId/signing-key': {
    tag: 'Hooks',
    summary: 'Take requests with signatures no more',
    path: hookPath,
    answers: {
      200: {
        description: 'There is no key',
        schema: unsignedAnswer,
        examples: { removed: { message: UNSIGNED } },
      },
    },
    errors: ['HOOK_NOT_FOUND'],
  },
})
