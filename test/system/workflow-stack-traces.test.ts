import assert from 'node:assert/strict'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow } from '#test/service/sent-signal.ts'

/** As the client calls the SDK's answer, whose text is encrypted. */
const NOT_TAKEN = { name: 'QueryNotRegisteredError' }

/**
 * What the SDK does without its promise hook is documented nowhere: this notices a version that fails then, or that takes
 * stack traces by other means.
 */
describe('the stack trace of a workflow, which Temporal’s UI asks for', function () {
  this.timeout(60_000)
  const service = useStack()

  /** As the UI asks for it. */
  async function stackTraceOf(signalId: string): Promise<string> {
    const client = await service.stack.temporal()
    return client.workflow.getHandle(workflowIdFor(signalId)).query<string>('__stack_trace')
  }

  it('the stack trace of a workflow, which Temporal’s UI asks for is not taken, unless the setting is on', async () => {
    const { stack } = service
    const { body } = await stack.api.post('/signals', buyNow(stack, { executeMode: 'pending' }))
    const { id } = body.signal
    await assert.rejects(stackTraceOf(id), NOT_TAKEN)
    await stack.parts.worker.restart({ WORKFLOW_STACK_TRACES: 'on' })
    assert.match(await stackTraceOf(id), /waitForStart \(.*workflows\/signal\/workflow/)
    await stack.parts.worker.restart()
    await assert.rejects(stackTraceOf(id), NOT_TAKEN)
  })
})
