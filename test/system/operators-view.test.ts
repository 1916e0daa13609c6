import assert from 'node:assert/strict'
import { defaultPayloadConverter } from '@temporalio/common'
import { workflowIdFor } from '#domain/signal.ts'
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

    it('the operators’ view in Temporal of a signal that waits for its exit is a row in Temporal’s list that the search attributes find, with its summary', async () => {
      const client = await service.stack.temporal()
      const query = `Symbol = 'ZTWAIT' AND SignalStatus = 'executed' AND Action = 'openLong' AND ExecuteMode = 'immediate' AND AccountId = '${service.stack.accountId}'`
      await eventually(async () => {
        const found: string[] = []
        for await (const { workflowId } of client.workflow.list({ query })) found.push(workflowId)
        assert.deepEqual(found, [workflowIdFor(signalId)])
      })
      const description = await client.workflow.getHandle(workflowIdFor(signalId)).describe()
      assert.equal(await description.staticSummary(), 'Buy 10 ZTWAIT at market')
      assert.match((await description.staticDetails()) ?? '', /Exit:\*\* exit at market 60 minutes after/)
    })

    it('the operators’ view in Temporal of a signal that waits for its exit are current details that tell the reason and the end of the wait', async () => {
      const client = await service.stack.temporal()
      const { exit } = await shown(service.stack, signalId)
      const { currentDetails } = await client.workflow
        .getHandle(workflowIdFor(signalId))
        .query<{ currentDetails: string }>('__temporal_workflow_metadata')
      assert.match(currentDetails, /status: \*\*executed\*\*/)
      assert.ok(currentDetails.includes(`waits for the exit time, until ${exit.submitAt}`), currentDetails)
      assert.match(currentDetails, /-e1: BUY 10 ZTWAIT, FILLED, filled 10 at /)
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
      assert.deepEqual(summaries, [`Exit 10 ZTWAIT at ${exit.submitAt}`])
    })
  })
})
