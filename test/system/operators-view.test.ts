import assert from 'node:assert/strict'
import { defaultPayloadConverter } from '@temporalio/common'
import { BUILD_ID } from '#config/build-id.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import type { PartName } from '#test/support/stack-parts.ts'
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

    it('the operators’ view in Temporal of a signal that waits for its exit is the instant of the exit, an hour after the fill', async () => {
      const { exit } = await shown(service.stack, signalId)
      const minutes = (Date.parse(exit.submitAt) - Date.now()) / 60_000
      assert.ok(minutes > 59 && minutes <= 60, `the exit is due in ${minutes} minutes`)
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

    it('the operators’ view in Temporal of a signal that waits for its exit has a history whose tasks name the build that did them', async () => {
      const client = await service.stack.temporal()
      const { events } = await client.workflow.getHandle(workflowIdFor(signalId)).fetchHistory()
      const builds = (events ?? []).flatMap(
        (event) => event.workflowTaskCompletedEventAttributes?.workerVersion?.buildId ?? [],
      )
      assert.ok(builds.length > 0)
      assert.deepEqual([...new Set(builds)], [BUILD_ID])
    })
  })

  describe('at /readyz', () => {
    const readiness = async () => {
      const { status, body } = await service.stack.api.readiness()
      return [status, body.down]
    }

    it('the operators’ view in Temporal at /readyz is 200 with nothing down while every part works', async () => {
      assert.deepEqual(await readiness(), [200, []])
    })

    const outages: { part: PartName; down: string[] }[] = [
      { part: 'venue', down: ['venue'] },
      // A worker says in the database that it works, as long as it reaches Temporal.
      { part: 'temporal', down: ['temporal', 'worker'] },
      { part: 'postgres', down: ['database', 'worker'] },
    ]
    for (const { part, down } of outages)
      it(`the operators’ view in Temporal at /readyz is 503 that names ${down.join(' and ')} while ${part} is stopped, and 200 again afterwards`, async () => {
        await service.stack.parts[part].stop()
        await eventually(async () => assert.deepEqual(await readiness(), [503, down]))
        await service.stack.parts[part].start()
        await service.stack.untilReady()
        await eventually(async () => assert.deepEqual(await readiness(), [200, []]), { within: 30_000 })
      })
  })
})
