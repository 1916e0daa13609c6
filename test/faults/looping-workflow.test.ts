import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { bundleQuietly } from '#test/support/workflow-bundle.ts'
import { assertOneEntryOneExit, buyNow, endOf } from '#test/service/sent-signal.ts'

const WORKFLOWS = fileURLToPath(new URL('fixtures/looping-workflows.ts', import.meta.url))
const ENDED = 'a workflow loops without end'

/**
 * The guard of workflow threads rests on how the SDK enters its sandbox, which is documented nowhere. With a version that
 * enters otherwise, or has another watchdog, the looping workflow is not ended here, or not by the guard.
 */
describe('a workflow that loops without end', function () {
  this.timeout(150_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-loop-'))
  const bundle = join(folder, 'workflows.js')
  const service = useStack()
  before(async () => writeFileSync(bundle, (await bundleQuietly(WORKFLOWS)).code))
  after(() => rmSync(folder, { recursive: true }))

  const places = [
    { where: 'a worker of its own', part: 'worker', settings: {} },
    { where: 'the worker of an API', part: 'api', settings: { EMBEDDED_WORKER: 'on' } },
  ] as const
  for (const { where, part, settings } of places)
    it(`holds up ${where} once, and then costs its own task alone`, async () => {
      const { stack } = service
      if (part === 'api') await stack.parts.worker.stop()
      await stack.parts[part].restart({ ...settings, WORKFLOW_BUNDLE: bundle })
      const { pid } = stack.parts[part]
      const client = await stack.temporal()
      const loop = await client.workflow.start('loopForEver', {
        workflowId: `loop-${randomUUID()}`,
        taskQueue: 'signals',
      })
      const log = () => stack.parts[part].logTail(1_000_000)
      await eventually(() => assert.ok(log().includes(ENDED), 'the guard ends the thread'), {
        within: 30_000,
      })
      await eventually(
        async () => {
          const { raw } = await loop.describe()
          assert.ok(Number(raw.pendingWorkflowTask?.attempt) >= 4, 'its task is tried again and again')
        },
        { within: 60_000, every: 500 },
      )
      const { body } = await stack.api.post('/signals', buyNow(stack, { exitTriggerType: 'immediate' }))
      await endOf(stack, body.signal.id, { within: 60_000 })
      await assertOneEntryOneExit(stack, body.signal.id)
      assert.equal(log().split(ENDED).length - 1, 1, 'one thread was ended')
      assert.equal(stack.parts[part].pid, pid)
      assert.ok(stack.parts[part].isRunning)
      await loop.terminate()
      if (part === 'api') await stack.parts.worker.start()
    })
})
