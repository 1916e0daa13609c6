import assert from 'node:assert/strict'
import { defaultPayloadConverter } from '@temporalio/common'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, shown } from '#test/service/sent-signal.ts'

describe('the operators’ view in Temporal', function () {
  this.timeout(60_000)
  const service = useStack()

  describe('of a signal that waits for its exit', () => {
    let signalId: string
    before(async () => {
      const { stack } = service
      const { status, body } = await stack.api.post(
        '/signals',
        buyNow(stack, { symbol: 'ZTWAIT', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 }),
      )
      assert.equal(status, 201, JSON.stringify(body))
      signalId = body.signal.id
      await eventually(async () => assert.equal((await shown(stack, signalId)).exit.status, 'scheduled'))
    })

    it('the operators’ view in Temporal of a signal that waits for its exit is a timer with its purpose written on it', async () => {
      const client = await service.stack.temporal()
      const { events } = await client.workflow.getHandle(workflowIdFor(signalId)).fetchHistory()
      const encrypted = (events ?? [])
        .filter((event) => event.timerStartedEventAttributes)
        .flatMap((event) => event.userMetadata?.summary ?? [])
      const owner = { type: 'workflow', namespace: 'default', workflowId: workflowIdFor(signalId) } as const
      const [codec] = client.options.loadedDataConverter.payloadCodecs
      const summaries = (await codec!.decode(encrypted, owner)).map((payload) =>
        defaultPayloadConverter.fromPayload<string>(payload),
      )
      const { exit } = await shown(service.stack, signalId)
      assert.deepEqual(summaries, [`Exit 10 ZTWAIT: waits until ${exit.submitAt} for the exit time`])
    })
  })
})
