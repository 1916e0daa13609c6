import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { workflowIdFor } from '#domain/signal.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, buyNow, endOf } from './sent-signal.ts'

describe('an API with a worker in its process', function () {
  this.timeout(150_000)
  const service = useStack({ api: { API_WORKER: 'on' } })

  it('begins the workflow of a signal itself, and answers with its order', async () => {
    const { stack } = service
    const { status, body } = await stack.api.post('/signals', buyNow(stack, { exitTriggerType: 'immediate' }))
    assert.deepEqual([status, body.signal.status], [201, 'executed'], JSON.stringify(body))
    const client = await stack.temporal()
    const { events } = await client.workflow.getHandle(workflowIdFor(body.signal.id)).fetchHistory()
    const { eagerExecutionAccepted } = events![0]!.workflowExecutionStartedEventAttributes!
    assert.equal(eagerExecutionAccepted, true)
    const { identity } = events!.find(
      (event) => event.workflowTaskStartedEventAttributes,
    )!.workflowTaskStartedEventAttributes!
    assert.match(identity!, new RegExp(`^${stack.parts.api.pid}@`))
    await assertOneEntryOneExit(stack, body.signal.id)
  })

  it('works alone, and leaves its work to a worker of its own when it is killed', async () => {
    const { stack } = service
    await stack.parts.worker.stop()
    const wish = buyNow(stack, {
      symbol: 'ALONE',
      sourceId: `source-${randomUUID()}`,
      exitTriggerType: 'minutesAfterEntry',
      exitTriggerMinutes: 1,
    })
    const first = await stack.api.post('/signals', wish)
    assert.equal(first.status, 201, JSON.stringify(first.body))
    await stack.parts.api.kill()
    await stack.parts.worker.start()
    await endOf(stack, first.body.signal.id, { within: 80_000 })
    await stack.parts.api.start()
    await assertOneEntryOneExit(stack, first.body.signal.id)
    const again = await stack.api.post('/signals', wish)
    assert.deepEqual([again.status, again.body.signal.id], [200, first.body.signal.id])
  })
})
