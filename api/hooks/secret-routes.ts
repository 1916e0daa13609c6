import { z } from 'zod'
import { inPerson } from '../access/policy.ts'
import { idOf, route } from '../route/route.ts'
import { endedSecretAnswer, newSecretAnswer, signingKeyAnswer, unsignedAnswer } from './answers.ts'
import type { HookDeps } from './commands.ts'
import { EXAMPLE_HOOK_SECRET, EXAMPLE_URL } from './examples.ts'
import { presentSecret } from './record.ts'
import { newSecret } from './schema.ts'
import { endSecret, makeSecret, makeSigningKey, removeSigningKey } from './secret-commands.ts'

const hookPath = { hookId: idOf('HOOK_NOT_FOUND') }
const ENDED = 'The secret has ended: requests to its address are refused'
const UNSIGNED = 'The hook has no key for signatures any more'

export const hookSecretRoutes = [
  route({
    name: 'POST /api/v1/hooks/:hookId/secrets',
    access: inPerson({ fresh: true }),
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
    run: async ({ caller, path: { hookId }, body }, deps: HookDeps) => {
      const { url, secret } = await makeSecret(deps, caller, hookId, body.endsOthersAfter)
      return { url, secret: presentSecret(secret) }
    },
  }),
  route({
    name: 'DELETE /api/v1/hooks/:hookId/secrets/:secretId',
    access: inPerson(),
    tag: 'Hooks',
    summary: 'End a secret of a hook at once',
    description:
      'The last one may be ended too: nothing gets in by an address then, until there is a new secret.',
    path: { ...hookPath, secretId: idOf('HOOK_SECRET_NOT_FOUND') },
    answers: {
      200: { description: 'Ended', schema: endedSecretAnswer, examples: { ended: { message: ENDED } } },
    },
    errors: ['HOOK_NOT_FOUND', 'HOOK_SECRET_NOT_FOUND'],
    run: async ({ caller, path: { hookId, secretId } }) => {
      await endSecret(caller, hookId, secretId)
      return { message: ENDED }
    },
  }),
  route({
    name: 'POST /api/v1/hooks/:hookId/signing-key',
    access: inPerson({ fresh: true }),
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
    run: async ({ caller, path: { hookId } }, deps: HookDeps) => ({
      key: await makeSigningKey(deps, caller, hookId),
    }),
  }),
  route({
    name: 'DELETE /api/v1/hooks/:hookId/signing-key',
    access: inPerson(),
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
    run: async ({ caller, path: { hookId } }) => {
      await removeSigningKey(caller, hookId)
      return { message: UNSIGNED }
    },
  }),
]
