import assert from 'node:assert/strict'
import { EarlyAttempts } from '#activities/early-attempts.ts'
import type { OrderAttempt, PreparedEntry } from '#activities/contract.ts'
import { signalTerms } from '#test/support/sample-signal.ts'

type Attempt = OrderAttempt<PreparedEntry>

const STARTED = { started: Promise.resolve(true), isExpected: true }

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
    check: { completed: false, cause: '', failure: '' },
    submission: null,
    orderId,
  })

  it('are what the workflow gets, while they run and afterwards', async () => {
    const other = signalTerms({ signalId: 'other' })
    void early.begin(terms, STARTED)
    void early.begin(other, STARTED)
    running[1]!.resolve(outcome('second'))
    const asked = early.attempt(terms)
    running[0]!.resolve(outcome('first'))
    assert.deepEqual([await asked, await early.attempt(other)], [outcome('first'), outcome('second')])
    assert.equal(running.length, 2)
  })

  it('fail for the workflow as its own would', async () => {
    void early.begin(terms, STARTED)
    running[0]!.reject(new Error('the ledger is away'))
    await assert.rejects(early.attempt(terms), /the ledger is away/)
  })

  it('are given once: a workflow that asks again, because its first task was lost, has another one made', async () => {
    void early.begin(terms, STARTED)
    running[0]!.resolve(outcome('first'))
    await early.attempt(terms)
    const again = early.attempt(terms)
    running[1]!.resolve(outcome('second'))
    assert.deepEqual(await again, outcome('second'))
  })

  it('hear that their workflow is there when it was started, or when it asks', async () => {
    const heard: (boolean | undefined)[] = []
    const listening = new EarlyAttempts(async (_, isEarly) => {
      heard.push(isEarly && (await isEarly.isThere))
      return outcome('an order')
    })
    void listening.begin(terms, STARTED)
    await listening.attempt(terms)
    void listening.begin(terms, { started: Promise.resolve(false), isExpected: true })
    await listening.attempt(terms)
    await listening.attempt(terms)
    assert.deepEqual(heard, [true, true, undefined])
  })
})
