import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { faultyWorker } from '#test/faults/faulty-worker.ts'
import type { Settings } from '#test/support/part.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accepted, assertOneEntryOneExit, buyNow, endOf, ordersAtVenue } from '#test/service/sent-signal.ts'

/** Where the worker in the API's process dies, and with it the API, in signals of which symbol. */
const DEATHS = {
  ZTCHECK: { point: 'before prepareEntry', mode: 'crash' },
  ZTDECIDED: { point: 'before broker.submitOrder of the entry', mode: 'crash' },
  ZTSENT: { point: 'after broker.submitOrder of the entry', mode: 'crash' },
  ZTCOMMIT: { point: 'after recordAccepted of the entry', mode: 'crash' },
} as const

describe('an API with a worker in its process', function () {
  this.timeout(150_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-api-worker-'))
  after(() => rmSync(folder, { recursive: true }))
  const service = useStack({
    api: { EMBEDDED_WORKER: 'on', ...faultyWorker(join(folder, 'plan.json'), DEATHS) },
  })

  /** Takes the task of what is sent: no other worker is there. */
  async function alone(): Promise<void> {
    const { stack } = service
    await stack.untilReady()
    await stack.parts.worker.stop()
  }
  afterEach(async () => {
    const { worker } = service.stack.parts
    if (!worker.isRunning) await worker.start()
  })

  it('an API with a worker in its process does the first task of the workflow, which sends the entry and answers the sender', async () => {
    const { stack } = service
    await alone()
    // The first one takes a slow machine as long as a sender has patience.
    await accepted(stack, { symbol: 'ZTFIRST' })
    const { status, body } = await stack.api.post('/signals', buyNow(stack, { exitTriggerType: 'immediate' }))
    assert.deepEqual([status, body.signal.status], [201, 'executed'], JSON.stringify(body))
    await assertOneEntryOneExit(stack, body.signal.id)
    const client = await stack.temporal()
    const { events } = await client.workflow.getHandle(workflowIdFor(body.signal.id)).fetchHistory()
    const answered = events!.findIndex((event) => event.workflowExecutionUpdateCompletedEventAttributes)
    const before = events!.slice(0, answered)
    const begun = before.flatMap(({ workflowTaskStartedEventAttributes: task }) => task?.identity ?? [])
    assert.equal(begun.length, 1, JSON.stringify(before))
    assert.match(begun[0]!, new RegExp(`^${stack.parts.api.pid}@`))
  })

  /** What is armed here lasts for one life of the API. */
  const deaths: { where: string; symbol: string; settings?: Settings }[] = [
    {
      where: 'before it starts the workflow',
      symbol: 'ZTSTORED',
      settings: { FAILPOINT: 'api.after_commit:crash' },
    },
    { where: 'before the entry is checked', symbol: 'ZTCHECK' },
    { where: 'after the entry is decided and before the broker receives it', symbol: 'ZTDECIDED' },
    { where: 'after the broker has accepted the entry', symbol: 'ZTSENT' },
    { where: 'after the acceptance is committed and before the answer', symbol: 'ZTCOMMIT' },
    {
      where: 'right before the answer leaves',
      symbol: 'ZTTOLD',
      settings: { FAILPOINT: 'api.after_start:crash' },
    },
  ]
  for (const { where, symbol, settings } of deaths)
    it(`an API with a worker in its process that is killed ${where}: the sender's next try finds one signal, which another worker goes on with`, async () => {
      const { stack } = service
      if (settings) await stack.parts.api.restart(settings)
      await alone()
      const wish = buyNow(stack, {
        symbol,
        sourceId: `source-${randomUUID()}`,
        exitTriggerType: 'immediate',
      })
      await assert.rejects(stack.api.post('/signals', wish), 'the sender has no answer')
      assert.deepEqual(await stack.parts.api.ended, { code: null, signal: 'SIGKILL' })
      const [{ id }] = (await stack.query(`select id from signals where symbol = '${symbol}'`)) as [
        { id: string },
      ]
      await stack.parts.worker.start()
      // Only the supervisor of an API starts what was not started.
      if (symbol !== 'ZTSTORED') await endOf(stack, id, { within: 30_000 })
      await stack.parts.api.start()
      const again = await stack.api.post('/signals', wish)
      assert.deepEqual([again.status, again.body.signal.id], [200, id])
      await assertOneEntryOneExit(stack, id)
    })

  it('decides and sends nothing while Temporal hangs, and sends one order when it goes on', async () => {
    const { stack } = service
    await stack.untilReady()
    const before = await stack.api.post('/signals', buyNow(stack, { symbol: 'ZTBEFORE' }))
    assert.equal(before.status, 201, JSON.stringify(before.body))
    const { pid } = stack.parts.temporal
    process.kill(pid, 'SIGSTOP')
    let id: string
    try {
      const wish = buyNow(stack, { symbol: 'ZTHANGS', exitTriggerType: 'immediate' })
      const { status, body } = await stack.api.post('/signals', wish)
      assert.equal(status, 202, JSON.stringify(body))
      id = body.signal.id
      const [{ decided }] = (await stack.query(
        `select decisions -> 'entry' is not null as decided from signals where id = '${id}'`,
      )) as [{ decided: boolean }]
      assert.equal(decided, false)
      assert.deepEqual(ordersAtVenue(await stack.venue.ledger(), id), [])
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await assertOneEntryOneExit(stack, id, { within: 60_000 })
  })
})
