import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { waitUntil } from '#workflows/steps/steps.ts'
import { loadBare } from '../support/bare-signal-workflow.ts'
import { ContinuedAsNew, nextTimer, settle, startAfresh } from '../support/bare-workflow.ts'

const START = Date.parse('2026-03-02T15:00:00.000Z')

describe('a wait of a run that belongs into another queue', () => {
  let wait: typeof waitUntil
  before(async () => {
    ;({ waitUntil: wait } = await loadBare<{ waitUntil: typeof waitUntil }>('steps/steps.ts'))
  })
  beforeEach(() => {
    startAfresh()
    mock.timers.enable({ apis: ['Date'], now: START })
  })
  afterEach(() => mock.timers.reset())

  const run = { nextQueue: 'long', continueAsNewInput: () => ({ state: 'kept' }) }
  const inSeconds = (seconds: number) => ({
    at: new Date(START + seconds * 1_000).toISOString(),
    summary: 'a wait',
  })

  it('a wait of a run that belongs into another queue that ends within seconds ends at its time, in the queue in which it began', async () => {
    const waiting = wait(run, () => false, inSeconds(3))
    assert.equal(nextTimer(), START + 3_000)
    mock.timers.setTime(START + 3_000)
    await settle()
    assert.equal(await waiting, false)
  })

  it('goes on there after five seconds, with all that the run knows', async () => {
    const waiting = wait(run, () => false, inSeconds(60))
    assert.equal(nextTimer(), START + 5_000)
    mock.timers.setTime(START + 5_000)
    const moved = assert.rejects(waiting, (error) => {
      assert.ok(error instanceof ContinuedAsNew)
      assert.deepEqual([error.options, error.input], [{ taskQueue: 'long' }, { state: 'kept' }])
      return true
    })
    await settle()
    await moved
  })
})
