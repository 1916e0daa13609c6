import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Stack } from '#test/support/stack.ts'

/** From now on the account may hold so many shares of a symbol, decided entries included. */
export async function limitPosition(service: Stack, maxPositionShares: Decimal): Promise<void> {
  const person = await service.signIn()
  const limits = { maxPositionShares: Number(maxPositionShares) }
  const { status, body } = await person.put(`/settings/risk/${service.accountId}`, limits)
  assert.equal(status, 200, JSON.stringify(body))
}
