import assert from 'node:assert/strict'
import { Backoff, pauseAfter } from '#domain/async/backoff.ts'

describe('a backoff', () => {
  const limits = { first: 250, most: 1_500 }

  it('doubles its pause up to the most, and begins again after a success', () => {
    const backoff = new Backoff(limits)
    assert.deepEqual(
      Array.from({ length: 5 }, () => backoff.next()),
      [250, 500, 1_000, 1_500, 1_500],
    )
    backoff.reset()
    assert.equal(backoff.next(), 250)
  })

  it('stays at the most after any number of failures', () => {
    assert.equal(pauseAfter(5_000, limits), 1_500)
  })
})
