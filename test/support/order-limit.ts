import assert from 'node:assert/strict'
import type { Service } from './service.ts'

/** Lets the accounts of a service send any number of orders in a minute: what is measured or tried is another thing. */
export async function liftOrderLimit(service: Service): Promise<void> {
  const person = await service.signIn()
  for (const accountId of service.accountIds) {
    const { status, body } = await person.put(`/settings/risk/${accountId}`, { maxOrdersPerMinute: null })
    assert.equal(status, 200, JSON.stringify(body))
  }
}
