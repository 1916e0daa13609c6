import assert from 'node:assert/strict'
import { workflowIdFor } from '#domain/signal.ts'
import type { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, buyNow, ordersAtVenue, shown } from './sent-signal.ts'

describe('an entry above the value that its owner lets pass without a person, on the whole service', function () {
  this.timeout(120_000)
  // Temporal is erased, and timelines tell of the second workflow too.
  const service = useStack({}, { holdsTimelines: false })
  let person: ApiClient
  before(async () => {
    person = await service.stack.signIn()
    const limits = { approvalAboveValue: 500 }
    const { status, body } = await person.put(`/settings/risk/${service.stack.accountId}`, limits)
    assert.equal(status, 200, JSON.stringify(body))
  })

  /** A token sends it, at 100 dollars a share. */
  async function send(symbol: string, changes: object) {
    const { stack } = service
    await stack.venue.pin(symbol, 100)
    const exit = { exitTriggerType: 'immediate' }
    return stack.api.post('/signals', buyNow(stack, { symbol, ...exit, ...changes }), 20_000)
  }
  const entries = async (id: string) => ordersAtVenue(await service.stack.venue.ledger(), id, 'entry')
  async function approve(id: string): Promise<void> {
    const { status, body } = await person.post(`/signals/${id}/process`, {}, 20_000)
    assert.ok(status < 300, JSON.stringify(body))
    await assertOneEntryOneExit(service.stack, id)
  }

  it('is answered as pending, and executed with its exit once a person approves it', async () => {
    const { status, body } = await send('HELD', { quantity: 10 })
    assert.deepEqual([status, body.signal.status], [201, 'pending'], JSON.stringify(body))
    assert.deepEqual(await entries(body.signal.id), [])
    await approve(body.signal.id)
  })

  it('is executed at once where it is not above it', async () => {
    const { status, body } = await send('FREE', { quantity: 5 })
    assert.deepEqual([status, body.signal.status], [201, 'executed'], JSON.stringify(body))
    await assertOneEntryOneExit(service.stack, body.signal.id)
  })

  it('is not let out by its sender, who replaces it', async () => {
    const sourceId = 'replaced-by-its-sender'
    const { body: first } = await send('REPLACED', { quantity: 10, sourceId })
    const { status, body } = await send('REPLACED', { quantity: 11, sourceId, replaceExisting: true })
    assert.ok(status < 300, JSON.stringify(body))
    assert.notEqual(body.signal.id, first.signal.id)
    await eventually(async () => assert.equal((await shown(service.stack, body.signal.id)).status, 'pending'))
    assert.equal((await shown(service.stack, first.signal.id)).status, 'cancelled')
    assert.deepEqual([await entries(first.signal.id), await entries(body.signal.id)], [[], []])
  })

  it('waits on, and can be approved, after its workflow was lost and made anew from the ledger', async () => {
    const { stack } = service
    const { body } = await send('LOST', { quantity: 10 })
    const { id, status } = body.signal
    assert.equal(status, 'pending')
    const { api, worker, temporal } = stack.parts
    await Promise.all([api.stop(), worker.stop()])
    await temporal.stop()
    stack.eraseTemporal()
    await temporal.start()
    await Promise.all([worker.start(), api.start()])
    await stack.untilReady()
    const client = await stack.temporal()
    await eventually(
      async () => {
        const { status: now } = await client.workflow.getHandle(workflowIdFor(id)).describe()
        assert.equal(now.name, 'RUNNING')
      },
      { within: 60_000 },
    )
    assert.equal((await shown(stack, id)).status, 'pending')
    assert.deepEqual(await entries(id), [])
    await approve(id)
  })
})
