import assert from 'node:assert/strict'
import type { Signal } from '#client/types.ts'
import { confirmed, problemOf } from '#web/connection/problem.ts'

describe('the answer to a decision, in the web app,', () => {
  const signal = { id: 'a', status: 'pending' } as Signal
  const advice = (code: string) => ({ signal, advisories: [{ code, message: 'It may still be taken' }] })

  it('the answer to a decision, in the web app, is the signal where the decision is confirmed, with any other advisory', () => {
    for (const answer of [{ signal }, { signal, advisories: [] }, advice('zone_assumed')])
      assert.equal(confirmed(answer), signal)
  })

  it('counts as none where the decision was passed and is not confirmed', () => {
    assert.throws(() => confirmed(advice('decision_unconfirmed')), {
      status: 0,
      code: 'decision_unconfirmed',
      message: 'It may still be taken',
    })
  })
})

describe('a refusal, in the web app,', () => {
  it('a refusal, in the web app, of a key that was used says that what was sent before arrived', () => {
    const { code, message } = problemOf(422, { error: 'Used', code: 'IDEMPOTENCY_KEY_REUSED' })
    assert.equal(code, 'IDEMPOTENCY_KEY_REUSED')
    assert.match(message, /^Your earlier request arrived, but its answer was lost/)
  })
})
