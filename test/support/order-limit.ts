import assert from 'node:assert/strict'
import type { Stack } from './stack.ts'

/** Lets the account of a service send any number of orders in a minute: what is measured or tried is another thing. */
export async function liftOrderLimit(service: Stack): Promise<void> {
  const person = await service.signIn()
  const path = `/settings/risk/${service.accountId}`
  const { status, body } = await person.put(path, { maxOrdersPerMinute: null })
  assert.equal(status, 200, JSON.stringify(body))
}
