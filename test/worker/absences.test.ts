import assert from 'node:assert/strict'
import { Absences } from '#worker/absences.ts'

describe('for how long a build has had no worker', () => {
  const { now } = performance
  let seconds: number
  beforeEach(() => {
    seconds = 1_000
    performance.now = () => seconds * 1_000
  })
  afterEach(() => {
    performance.now = now
  })
  const look = (absences: Absences, after: number, ...living: string[]) => {
    seconds += after
    absences.found(living)
  }

  it('counts from the last look that found one, or from the first', () => {
    const absences = new Absences(10_000)
    look(absences, 5, 'a')
    look(absences, 10)
    look(absences, 1)
    assert.deepEqual([absences.of('a'), absences.of('never')], [11_000, 16_000])
    look(absences, 1, 'a')
    assert.equal(absences.of('a'), 0)
  })

  it('the time for which a build has had no worker does not count an outage in which nobody could look', () => {
    const absences = new Absences(10_000)
    look(absences, 1, 'a')
    look(absences, 600)
    assert.equal(absences.of('a'), 10_000)
  })
})
