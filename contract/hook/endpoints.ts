import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { EXAMPLE_ACCOUNT_ID, examplePaging } from '../envelopes.ts'
import { revokedTokenAnswer } from '../identity/answers.ts'
import { wordsOfRevoking } from '../identity/requests.ts'
import {
  createdHookAnswer,
  hookListAnswer,
  namedHookAnswer,
  type HookAnswer,
  EXAMPLE_HOOK,
  EXAMPLE_NEW_HOOK,
  EXAMPLE_URL,
  endedSecretAnswer,
  newSecretAnswer,
  signingKeyAnswer,
  unsignedAnswer,
  EXAMPLE_HOOK_SECRET,
} from './answers.ts'
import { hookChange, hookCreation, hookDeletion, hookListQuery, liveSwitch, newSecret } from './requests.ts'

export const hookPath = { hookId: idOf('HOOK_NOT_FOUND') }

const HOOK_SIGNALS_WITHDRAWN = { waiting: 0, withdrawn: 3 }

const named = (words: string, hook: HookAnswer) => ({
  200: { description: 'The hook as it is now', schema: namedHookAnswer, examples: { [words]: { hook } } },
})

export const hookEndpoints = endpoints({
  'GET /api/v1/hooks': {
    tag: 'Hooks',
    summary: 'List your hooks, the newest first',
    description: 'Never their secrets.',
    query: hookListQuery,
    answers: {
      200: {
        description: 'Your hooks',
        schema: hookListAnswer,
        examples: { one: { hooks: [EXAMPLE_HOOK], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'POST /api/v1/hooks': {
    tag: 'Hooks',
    summary: 'Make a hook',
    description:
      'Its address is in this answer and never shown again. It trades on the accounts that it names, and opens positions on demo accounts alone until `PUT /api/v1/hooks/:hookId/live` switches it to live ones. A person may have 20, with a subscription plan that includes access tokens.',
    body: {
      schema: z.strictObject(hookCreation),
      examples: {
        'for TradingView': {
          name: EXAMPLE_HOOK.name,
          kind: 'tradingview',
          accountIds: [EXAMPLE_ACCOUNT_ID],
          quantity: 10,
          addresses: ['tradingview'],
        },
        'with a size for each account': {
          name: 'Two accounts',
          kind: 'traderspost',
          accountIds: [
            { accountId: EXAMPLE_ACCOUNT_ID, multiplier: 2 },
            { accountId: '0d9c8b7a-6f5e-4d3c-8b2a-190f8e7d6c5b', quantity: 5 },
          ],
        },
      },
    },
    answers: {
      201: {
        description: 'The hook and its address',
        schema: createdHookAnswer,
        examples: { created: { hook: EXAMPLE_NEW_HOOK, url: EXAMPLE_URL } },
      },
    },
    errors: ['HOOK_LIMIT_REACHED'],
  },
  'GET /api/v1/hooks/:hookId': {
    tag: 'Hooks',
    summary: 'Get a hook',
    path: hookPath,
    answers: named('a hook', EXAMPLE_HOOK),
    errors: ['HOOK_NOT_FOUND'],
  },
  'PATCH /api/v1/hooks/:hookId': {
    tag: 'Hooks',
    summary: 'Change a hook',
    description:
      'Fields that you leave out stay as they are. The change applies from the next request on. Signals on an account that you remove open no position any more, unless a person approves them. To add an account you need a proof of the last five minutes of who you are. The same proof is required for every change that lets a hook do more, if the hook is switched to live accounts or names one: a larger size, no approval, more or other symbols, more addresses, short positions.',
    path: hookPath,
    body: {
      schema: hookChange,
      examples: {
        'rename it': { name: 'Opening range, 5 minutes' },
        'another size': { quantity: 20, whenSame: 'add' },
      },
    },
    answers: named('renamed', { ...EXAMPLE_HOOK, name: 'Opening range, 5 minutes' }),
    errors: ['HOOK_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
  'DELETE /api/v1/hooks/:hookId': {
    tag: 'Hooks',
    summary: 'Delete a hook',
    description:
      'With the next request its address is refused, and nothing that came by it opens a position any more. Signals of it that wait are withdrawn, or with `signals=keep` stay on record as those of a revoked access token do. Exits stay in any case. It cannot be undone.',
    path: hookPath,
    query: hookDeletion,
    answers: {
      200: {
        description: 'Deleted',
        schema: revokedTokenAnswer,
        examples: {
          deleted: {
            message: wordsOfRevoking('The hook is deleted', 'withdraw', HOOK_SIGNALS_WITHDRAWN),
            signals: HOOK_SIGNALS_WITHDRAWN,
          },
        },
      },
    },
    errors: ['HOOK_NOT_FOUND'],
  },
  'PUT /api/v1/hooks/:hookId/live': {
    tag: 'Hooks',
    summary: 'Allow or forbid a hook to open positions on live accounts',
    description:
      'Switched on, it needs a proof of the last five minutes of who you are. It trades real money while you are in LIVE mode yourself.',
    path: hookPath,
    body: { schema: z.strictObject(liveSwitch), examples: { on: { live: true }, off: { live: false } } },
    answers: named('switched on', { ...EXAMPLE_HOOK, live: true }),
    errors: ['HOOK_NOT_FOUND', 'LIVE_TRADING_DISABLED', 'VERIFICATION_REQUIRED'],
  },
})

const call = z
  .strictObject({
    hookId: z.uuid(),
    hookName: z.string(),
    at: z.iso.datetime(),
    ip: z.string(),
    from: z.enum(['this_machine', 'private_network', 'outside']).describe('Where that address is'),
  })
  .nullable()

export const addressAnswer = z
  .strictObject({
    hooksUrl: z
      .string()
      .describe('Begins the address of every hook; `WEBHOOK_URL`, or else `PUBLIC_URL`, of the service'),
    isPublic: z.boolean().describe('Nothing in that address itself keeps TradingView from calling it'),
    missing: z
      .array(
        z.strictObject({
          code: z.enum([
            'this_machine',
            'private_network',
            'private_name',
            'ipv6',
            'not_https',
            'port',
            'no_request_yet',
            'no_request_from_outside',
          ]),
          message: z.string(),
        }),
      )
      .describe(
        'Reasons why senders may not reach your hooks; empty once a request from outside has arrived',
      ),
    last: call.describe('The newest request that a sender made of one of your hooks'),
    lastFromOutside: call.describe(
      'The newest one that came neither from the machine of the service nor from a private network',
    ),
  })
  .meta({ id: 'HookAddress' })

const SEEN = {
  hookId: '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f',
  hookName: 'Breakouts',
  at: '2026-03-02T15:00:01.000Z',
  ip: '52.89.214.238',
  from: 'outside' as const,
}

export const hookAddressEndpoints = endpoints({
  'GET /api/v1/hooks/address': {
    tag: 'Hooks',
    summary: 'Check whether senders on the Internet reach your hooks',
    description:
      'By the address that the operator has set, and by the requests that came in: none but one from outside shows that it works.',
    answers: {
      200: {
        description: 'The address, and what is missing',
        schema: addressAnswer,
        examples: {
          'it works': {
            hooksUrl: 'https://hooks.example.com',
            isPublic: true,
            missing: [],
            last: SEEN,
            lastFromOutside: SEEN,
          },
          'not reached from outside': {
            hooksUrl: 'http://127.0.0.1:3000',
            isPublic: false,
            missing: [
              {
                code: 'this_machine',
                message: '127.0.0.1 is this machine alone: no sender outside can call it',
              },
              {
                code: 'not_https',
                message: 'Without https everybody on the way could read the secret in the address of a hook',
              },
              { code: 'port', message: 'TradingView calls port 443 alone by https, and never port 3000' },
            ],
            last: null,
            lastFromOutside: null,
          },
        },
      },
    },
    errors: [],
  },
})

export const ENDED = 'The secret has ended: requests to its address are refused'

export const UNSIGNED = 'The hook has no key for signatures any more'

export const hookSecretEndpoints = endpoints({
  'POST /api/v1/hooks/:hookId/secrets': {
    tag: 'Hooks',
    summary: 'Make a new secret of a hook',
    description:
      'The new address is in this answer and never shown again. The previous address stays valid for as long as `endsOthersAfter` says, so that you have time to give senders the new one. No more than these two addresses are valid.',
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
    summary: 'Remove the signing key of a hook',
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
