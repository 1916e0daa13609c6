import assert from 'node:assert/strict'
import type { Stack } from '#test/support/stack.ts'
import { STRANGERS_SHAPES, type ShapePlan } from './shapes.ts'

/** Flood by a stranger without a credential, or by tokens or hooks of one person. */
export const FLOODERS = ['stranger', 'token', 'ten-tokens', 'hook', 'eighteen-hooks'] as const
export type Flooder = (typeof FLOODERS)[number]

/** Most tokens of a user on the subscription plan PRO; the stack has created one. */
const TOKENS = 10
const HOOKS = 18

export async function prepareFloods(stack: Stack): Promise<Record<Flooder, ShapePlan[]>> {
  // Signs in once: an address may sign in ten times in 15 minutes.
  const person = await stack.signIn()
  const make = async (path: string, body: object) => {
    const made = await person.post(path, body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data
  }
  const tokens: string[] = [stack.token]
  while (tokens.length < TOKENS) {
    const label = `flood ${tokens.length}`
    tokens.push((await make('/tokens', { label, scopes: ['signals:write'] })).token)
  }
  const signals = tokens.map((token): ShapePlan => ({ kind: 'signals', token, accountId: stack.accountId }))
  const messages: ShapePlan[] = []
  while (messages.length < HOOKS) {
    const hook = { name: `flood ${messages.length}`, kind: 'tradingview', accountIds: [stack.accountId] }
    const { url } = await make('/hooks', { ...hook, requestsPerMinute: 600 })
    messages.push({ kind: 'messages', path: new URL(url).pathname })
  }
  return {
    stranger: STRANGERS_SHAPES.map((kind) => ({ kind })),
    token: signals.slice(0, 1),
    'ten-tokens': signals,
    hook: messages.slice(0, 1),
    'eighteen-hooks': messages,
  }
}
