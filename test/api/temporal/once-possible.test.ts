import assert from 'node:assert/strict'
import { oncePossible } from '#api/temporal/once-possible.ts'

describe('a call that Temporal refuses for a moment', () => {
  const tooEarly = Object.assign(new Error('missing active task queues'), { code: 9 })
  /** Fails with each of these, one after the other, and then succeeds. */
  const callThatFails = (...errors: Error[]) => {
    const call = async () => {
      call.count += 1
      const error = errors.shift()
      if (error) throw error
      return 'done'
    }
    call.count = 0
    return call
  }

  it('a call that Temporal refuses for a moment is made again until it is possible', async () => {
    const call = callThatFails(tooEarly, tooEarly)
    assert.equal(await oncePossible(5_000, call), 'done')
    assert.equal(call.count, 3)
  })

  it('fails with the reason when it does not become possible in time', async () => {
    await assert.rejects(
      oncePossible(600, callThatFails(...Array.from({ length: 10 }, () => tooEarly))),
      tooEarly,
    )
  })

  it('fails at once for any other reason', async () => {
    const call = callThatFails(Object.assign(new Error('no permission'), { code: 7 }))
    await assert.rejects(oncePossible(5_000, call), /no permission/)
    assert.equal(call.count, 1)
  })
})
