import assert from 'node:assert/strict'
import type { Stack } from '#test/support/stack.ts'

/** From now on the account of the stack may hold so many shares of a symbol, decided entries included. */
export async function limitPosition(stack: Stack, maxPositionShares: string): Promise<void> {
  const person = await stack.signIn()
  const limits = { maxPositionShares: Number(maxPositionShares) }
  const { status, body } = await person.put(`/settings/risk/${stack.accountId}`, limits)
  assert.equal(status, 200, JSON.stringify(body))
}
