import assert from 'node:assert/strict'
import { EarlyAttempts } from '#activities/early-attempts.ts'
import type { OrderAttempt, PreparedEntry } from '#activities/contract.ts'
import { signalTerms } from '#test/support/sample-signal.ts'

type Attempt = OrderAttempt<PreparedEntry>

describe('attempts to send entries that begin before their workflows ask for them', () => {
  const terms = signalTerms()
  let running: PromiseWithResolvers<Attempt>[]
  let early: EarlyAttempts
  beforeEach(() => {
    running = []
    early = new EarlyAttempts(() => {
      const attempt = Promise.withResolvers<Attempt>()
      running.push(attempt)
      return attempt.promise
    })
  })
  const outcome = (orderId: string): Attempt => ({
    check: { completed: false, cause: '', failure: 'Other' },
    submission: null,
    orderId,
  })

  it('are what the workflow gets, while they run and afterwards', async () => {
    const other = signalTerms({ signalId: 'other' })
    void early.begin(terms)
    void early.begin(other)
    running[1]!.resolve(outcome('second'))
    const asked = early.attempt(terms)
    running[0]!.resolve(outcome('first'))
    assert.deepEqual([await asked, await early.attempt(other)], [outcome('first'), outcome('second')])
    assert.equal(running.length, 2)
  })

  it('fail for the workflow as its own would', async () => {
    void early.begin(terms)
    running[0]!.reject(new Error('the ledger is away'))
    await assert.rejects(early.attempt(terms), /the ledger is away/)
  })

  it('are given once: a workflow that asks again, because its first task was lost, has another one made', async () => {
    void early.begin(terms)
    running[0]!.resolve(outcome('first'))
    await early.attempt(terms)
    const again = early.attempt(terms)
    running[1]!.resolve(outcome('second'))
    assert.deepEqual(await again, outcome('second'))
  })

  it('are not begun while a workflow makes one of its own, and may be once that is over', async () => {
    const own = early.attempt(terms)
    await early.begin(terms)
    assert.equal(running.length, 1)
    running[0]!.resolve(outcome('its own'))
    assert.deepEqual(await own, outcome('its own'))
    void early.begin(terms)
    assert.equal(running.length, 2)
  })

  it('are begun once', async () => {
    void early.begin(terms)
    await early.begin(terms)
    assert.equal(running.length, 1)
  })
})
