import assert from 'node:assert/strict'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

describe('entries above the value that their owner lets pass, on the whole service', function () {
  this.timeout(120_000)
  // Temporal is erased, and timelines tell of the second workflow too.
  const service = useStack({}, { holdsTimelines: false })
  let person: ApiClient
  before(async () => {
    const { stack } = service
    person = await stack.signIn()
    const { status } = await person.put(`/settings/risk/${stack.accountId}`, { approvalAboveValue: 5_000 })
    assert.equal(status, 200)
  })

  /** Sent by a token. */
  const send = async (changes: object = {}): Promise<ApiAnswer> => {
    const { stack } = service
    const symbol = 'ZTHELD'
    await stack.venue.pin(symbol, 100)
    return stack.api.post('/signals', buyNow(stack, { symbol, quantity: 60, ...changes }))
  }
  const ordersOf = async (id: string, role: 'entry' | 'exit') =>
    ordersAtVenue(await service.stack.venue.ledger(), id, role)

  it('wait for a person, who learns why, and are executed with their exit once approved', async () => {
    const { status, body } = await send({ exitTriggerType: 'immediate', exitOrderType: 'market' })
    assert.deepEqual([status, body.signal.status], [201, 'pending'], JSON.stringify(body))
    assert.match(body.message, /needs approval.*worth \$6,000.*above \$5,000/)
    const { id } = body.signal
    assert.deepEqual(await ordersOf(id, 'entry'), [])
    const { body: waiting } = await person.get('/signals?status=pending')
    assert.deepEqual(
      waiting.data.signals.map((signal: { id: string }) => signal.id),
      [id],
    )
    const { body: check } = await person.get(`/signals/${id}/check`)
    assert.equal(check.data.dryRun.outcome, 'ready', JSON.stringify(check))
    const approved = await person.post(`/signals/${id}/process`, {})
    assert.deepEqual([approved.status, approved.body.data?.signal.status], [200, 'executed'])
    await eventually(async () => assert.equal((await shown(service.stack, id)).exit?.status, 'filled'), {
      within: 20_000,
    })
    assert.equal((await ordersOf(id, 'entry')).length, 1)
    assert.equal((await ordersOf(id, 'exit')).length, 1)
  })
})
