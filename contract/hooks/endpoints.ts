import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { EXAMPLE_ACCOUNT_ID, examplePaging } from '../examples.ts'
import { revokedTokenAnswer } from '../identity/answers.ts'
import { wordsOfRevoking } from '../identity/words-of-revoking.ts'
import { createdHookAnswer, hookListAnswer, namedHookAnswer, type HookAnswer } from './answers.ts'
import { EXAMPLE_HOOK, EXAMPLE_NEW_HOOK, EXAMPLE_URL } from './examples.ts'
import { hookChange, hookCreation, hookDeletion, hookListQuery, liveSwitch } from './schema.ts'

const hookPath = { hookId: idOf('HOOK_NOT_FOUND') }

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
      'Its address is in this answer and never shown again. It trades on the accounts that it names, and opens positions on demo accounts alone until `PUT /api/v1/hooks/:hookId/live` switches it to live ones. A person may have 20, on a plan with access tokens.',
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
    summary: 'Show a hook',
    path: hookPath,
    answers: named('a hook', EXAMPLE_HOOK),
    errors: ['HOOK_NOT_FOUND'],
  },
  'PATCH /api/v1/hooks/:hookId': {
    tag: 'Hooks',
    summary: 'Change a hook',
    description:
      'What is left out stays as it is. It holds for the next request; signals on an account that is taken out open no position any more, unless a person approves them. To add an account asks for a proof of the last five minutes of who you are; so does every change by which a hook does more that is switched to live accounts or names one: a larger size, no approval, more or other symbols, more addresses, short positions.',
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
    summary: 'Let a hook open positions on live accounts, or no more',
    description:
      'Switched on, it needs a proof of the last five minutes of who you are. It trades real money while you are in LIVE mode yourself.',
    path: hookPath,
    body: { schema: z.strictObject(liveSwitch), examples: { on: { live: true }, off: { live: false } } },
    answers: named('switched on', { ...EXAMPLE_HOOK, live: true }),
    errors: ['HOOK_NOT_FOUND', 'LIVE_TRADING_DISABLED', 'VERIFICATION_REQUIRED'],
  },
})
