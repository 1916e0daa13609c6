import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { EntryHandover, type Waiting } from '#activities/handover/entry-handover.ts'
import type { OrderAttempt, PreparedEntry } from '#activities/contract.ts'
import { ATTEMPT_KEPT_FOR } from '#domain/entry-times.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'

type Attempt = OrderAttempt<PreparedEntry>

const EXECUTED: EntryAnswer = { status: 'executed', orderId: 'an order', reason: null, detail: null }

describe('an entry between the request for it, the attempt to send it, and its workflow', () => {
  let handover: EntryHandover
  let made: { request: Waiting; attempt: PromiseWithResolvers<Attempt> }[]
  beforeEach(() => {
    handover = new EntryHandover()
    made = []
  })
  const make = (request: Waiting): Promise<Attempt> => {
    const attempt = Promise.withResolvers<Attempt>()
    made.push({ request, attempt })
    return attempt.promise
  }
  const begin = (signalId = 'one'): Promise<Attempt> => handover.begin(signalId, make)
  /** As its workflow asks. */
  const attempt = (signalId = 'one'): Promise<Attempt> => handover.attempt(signalId, make)
  const outcome = (orderId: string): Attempt => ({
    check: { completed: false, cause: '', failure: 'Other' },
    submission: null,
    orderId,
  })
  const stillWaits = (answer: Promise<unknown>) => Promise.race([answer, Promise.resolve('still waits')])

  it('an entry between the request for it, the attempt to send it, and its workflow has the request for it told of its own outcome and of no other', async () => {
    const [one, other] = [handover.wait('one'), handover.wait('other')]
    void attempt('one')
    void attempt('other')
    made[0]!.request.tell(EXECUTED)
    assert.equal(await stillWaits(other.answer), 'still waits')
    made[1]!.request.tell(null)
    assert.deepEqual([await one.answer, await other.answer], [EXECUTED, null])
  })

  it('an entry between the request for it, the attempt to send it, and its workflow has the request for it told the first outcome, and that there is none when the attempt has ended without', async () => {
    const [told, untold] = [handover.wait('one'), handover.wait('other')]
    void attempt('one')
    void attempt('other')
    made[0]!.request.tell(EXECUTED)
    for (const { attempt: each } of made) each.resolve(outcome('an order'))
    assert.deepEqual([await told.answer, await untold.answer], [EXECUTED, null])
  })

  it('an entry between the request for it, the attempt to send it, and its workflow is awaited until every request for it is over', () => {
    const [first, second] = [handover.wait('one'), handover.wait('one')]
    void attempt()
    const { request } = made[0]!
    first.over()
    assert.equal(request.isAwaited, true)
    second.over()
    assert.equal(request.isAwaited, false)
  })

  it('an entry between the request for it, the attempt to send it, and its workflow is awaited by nobody where no request waits for it, and told to nobody', () => {
    void attempt()
    const { request } = made[0]!
    assert.equal(request.isAwaited, false)
    request.tell(EXECUTED)
  })

  it('an entry between the request for it, the attempt to send it, and its workflow has its workflow given the attempt that was begun, while that runs and afterwards', async () => {
    handover.wait('one')
    handover.wait('other')
    void begin('one')
    void begin('other')
    made[1]!.attempt.resolve(outcome('second'))
    const asked = attempt('one')
    made[0]!.attempt.resolve(outcome('first'))
    assert.deepEqual([await asked, await attempt('other')], [outcome('first'), outcome('second')])
    assert.equal(made.length, 2)
  })

  it('an entry between the request for it, the attempt to send it, and its workflow has its workflow hear of the failure of the attempt that was begun', async () => {
    handover.wait('one')
    begin().catch(() => {})
    made[0]!.attempt.reject(new Error('the ledger is away'))
    await assert.rejects(attempt(), /the ledger is away/)
  })

  it('an entry between the request for it, the attempt to send it, and its workflow has another attempt made for a workflow that asks again, because its first task was lost', async () => {
    handover.wait('one')
    void begin()
    made[0]!.attempt.resolve(outcome('first'))
    assert.deepEqual(await attempt(), outcome('first'))
    const again = attempt()
    made[1]!.attempt.resolve(outcome('second'))
    assert.deepEqual(await again, outcome('second'))
  })

  it('an entry whose workflow made the attempt itself, beside a request, has another one made when it has to be tried again', async () => {
    const { over } = handover.wait('one')
    const first = attempt()
    over()
    made[0]!.attempt.resolve(outcome('not its turn'))
    await first
    const again = attempt()
    made[1]!.attempt.resolve(outcome('sent'))
    assert.deepEqual(await again, outcome('sent'))
  })

  it('an entry between the request for it, the attempt to send it, and its workflow has no second attempt begun beside that of a workflow that was faster', async () => {
    const { answer } = handover.wait('one')
    const own = attempt()
    const begun = begin()
    made[0]!.request.tell(EXECUTED)
    made[0]!.attempt.resolve(outcome('its own'))
    assert.deepEqual([await own, await begun], [outcome('its own'), outcome('its own')])
    assert.deepEqual(await answer, EXECUTED)
    assert.equal(made.length, 1)
  })

  it('an entry between the request for it, the attempt to send it, and its workflow has a workflow make its own attempt where the request for it was over before one was begun', async () => {
    handover.wait('one').over()
    void begin()
    void attempt()
    assert.deepEqual(
      made.map(({ request }) => request.isAwaited),
      [false, false],
    )
  })

  describe('whose request is over before its workflow asks', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
    afterEach(() => mock.timers.reset())
    const begunAndOver = (): void => {
      const { over } = handover.wait('one')
      void begin()
      over()
    }

    it('an entry between the request for it, the attempt to send it, and its workflow whose request is over before its workflow asks has its attempt kept for its workflow', () => {
      begunAndOver()
      mock.timers.tick(ATTEMPT_KEPT_FOR - 1)
      void attempt()
      assert.equal(made.length, 1)
    })

    it('an entry between the request for it, the attempt to send it, and its workflow whose request is over before its workflow asks has its attempt kept no longer than its time', () => {
      begunAndOver()
      mock.timers.tick(ATTEMPT_KEPT_FOR)
      void attempt()
      assert.equal(made.length, 2)
    })
  })
})
