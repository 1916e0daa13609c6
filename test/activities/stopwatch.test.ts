import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { startStopwatch } from '#activities/failures.ts'

describe('a stopwatch', () => {
  it('goes on while the wall clock is moved back', async () => {
    let now = 1_000_000
    const { elapsed } = startStopwatch(() => now)
    now -= 60_000
    await setTimeout(30)
    // A timer may be early by a millisecond.
    assert.ok(elapsed() >= 28, `${elapsed()} ms`)
  })

  it('counts what has passed by the wall clock while the whole machine slept', () => {
    let now = 1_000_000
    const { elapsed } = startStopwatch(() => now)
    now += 14_000
    assert.equal(elapsed(), 14_000)
  })
})
