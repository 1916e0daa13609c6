import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Decimal } from '#domain/decimal.ts'
import type { Answer } from '../../support/recording-activities.ts'
import { accepts, acceptsFilled } from '../../support/step-answers.ts'
import { refused } from '../../support/rejections.ts'
import { exitAfter, exitAtOnce, filled, reportOf } from '../../support/sample-signal.ts'
import { temporalAddress } from '../../support/servers.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { SignalStage } from '../../support/signal-stage.ts'

/**
 * Decisions that race the clock, each other and the market, on a real server with real timers: the time-skipping one
 * differs in details, and in how it hands out messages above all.
 */

/** Until a timer of these tests rings, in minutes; long enough for a message to come first. */
const SOON = 0.02
const fulfilled = (answers: PromiseSettledResult<unknown>[]): number =>
  answers.filter(({ status }) => status === 'fulfilled').length

describe('concurrent decisions about a signal, on a real server', function () {
  this.timeout(30_000)
  let stage: SignalStage & { close(): Promise<void> }
  before(async () => {
    stage = await SignalStage.onServerAt(await temporalAddress())
  })
  after(() => stage?.close())

  const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc', exit: exitAtOnce } as const

  const says =
    (
      play: () => SignalPlay,
      status: 'OPEN' | 'CANCELLED' | 'FILLED',
      filledQuantity: Decimal,
    ): Answer<'cancelOrder'> =>
    (_, at) => ({
      report: reportOf(play().sent(play().entryId)[0]!, at, { status, ...filled(filledQuantity, at) }),
    })

  /** Has the worker find a message and a timer in one task: the message goes out, the timer rings, then it works again. */
  async function inOneTask<T>(instant: string, message: () => Promise<T>): Promise<PromiseSettledResult<T>> {
    await stage.stopWorker()
    const answer = Promise.allSettled([message()])
    await sleep(Math.max(0, Date.parse(instant) - Date.now()) + 700)
    await stage.startWorker()
    return (await answer)[0]
  }

  const scheduled = async (): Promise<SignalPlay> => {
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(SOON), sendBefore: null },
      (script) => script.answer('submitOrder', acceptsFilled),
    )
    await play.script.called('recordWaiting')
    return play
  }

  const pending = async (validFor: number | null = null): Promise<SignalPlay> => {
    const play = await stage.begin(
      {
        executeMode: 'pending',
        validUntil: validFor === null ? null : await stage.minutesFromNow(validFor),
        sendBefore: null,
      },
      (script) => script.answer('submitOrder', acceptsFilled),
    )
    await play.script.called('recordWaiting')
    return play
  }

  describe('a withdrawal and the time of a scheduled signal', () => {
    it('the withdrawal first: withdrawn', async () => {
      const play = await scheduled()
      await play.withdraw()
      assert.equal((await play.result()).reason, 'WITHDRAWN')
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('a withdrawal and the time of a scheduled signal both in one task: withdrawn', async () => {
      const play = await scheduled()
      const answer = await inOneTask(play.terms.scheduledAt!, () => play.withdraw())
      assert.equal(answer.status, 'fulfilled')
      assert.equal((await play.result()).reason, 'WITHDRAWN')
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('the time first: sent', async () => {
      const play = await scheduled()
      assert.equal((await play.result()).status, 'executed')
      await assert.rejects(play.withdraw(), /completed|not found/i)
    })
  })

  describe('an approval and the end of the validity,', () => {
    it('the approval first: sent', async () => {
      const play = await pending(SOON * 5)
      assert.equal((await play.approve()).status, 'executed')
      await play.result()
    })

    it('an approval and the end of the validity, both in one task: expired, and the approval is told until when it would have counted', async () => {
      const play = await pending(SOON)
      const answer = await inOneTask(play.terms.validUntil!, () =>
        refused(play.approve(), 'SIGNAL_NOT_PENDING'),
      )
      assert.match(
        answer.status === 'fulfilled' ? answer.value.message : String(answer.reason),
        /valid until/,
      )
      assert.equal((await play.result()).reason, 'EXPIRED')
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('the end first: expired, and the approval finds nothing', async () => {
      const play = await pending(SOON)
      assert.equal((await play.result()).reason, 'EXPIRED')
      await assert.rejects(play.approve(), /completed|not found/i)
    })
  })

  it('twenty approvals at once: one is answered, one order', async () => {
    const play = await pending()
    const people = Array.from({ length: 20 }, (_, index) => `person ${index}`)
    const answers = await Promise.allSettled(people.map((by) => play.approve({ by }, by)))
    assert.equal(fulfilled(answers), 1)
    assert.equal((await play.result()).status, 'executed')
    assert.equal(play.script.inputs('recordDue').length, 1)
    assert.deepEqual(play.orderIds, [play.entryId])
  })

  it('the same approval sent ten times at once: ten equal answers, one order', async () => {
    const play = await pending()
    const answers = await Promise.all(Array.from({ length: 10 }, () => play.approve({}, 'approval')))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    await play.result()
    assert.deepEqual(play.orderIds, [play.entryId])
  })

  it('an approval, a decline, a withdrawal and a replacement at once: one of them wins, and never an order after a stop', async () => {
    for (let round = 0; round < 5; round += 1) {
      const play = await pending()
      const [approved, declined, withdrawn, replaced] = await Promise.allSettled([
        play.approve(),
        play.decline(),
        play.withdraw(),
        play.replace(),
      ])
      const { status } = await play.result()
      const stops = [declined, withdrawn, replaced]
      assert.ok(fulfilled(stops) <= 1, JSON.stringify(stops))
      assert.equal(status === 'executed', fulfilled(stops) === 0)
      assert.equal(play.sent(play.entryId).length > 0, status === 'executed')
      if (status === 'executed') assert.equal(approved.status, 'fulfilled')
    }
  })

  it('three replacements at once while the entry works: one replaces the signal', async () => {
    const play: SignalPlay = await stage.begin(gtcLimit, (script) =>
      script.answer(
        'cancelOrder',
        says(() => play, 'CANCELLED', '0'),
      ),
    )
    await play.script.accepted('entry')
    const answers = await Promise.allSettled(['a', 'b', 'c'].map((by) => play.replace(by)))
    assert.equal(fulfilled(answers), 1)
    assert.equal((await play.result()).reason, 'SUPERSEDED')
    assert.equal(play.script.inputs('recordReplaced').length, 1)
  })

  it('a replacement and a fill at once: either the order is cancelled, or it gets its exit and the replacement is rejected', async () => {
    for (let round = 0; round < 5; round += 1) {
      let isFilled = false
      const play: SignalPlay = await stage.begin(gtcLimit, (script) =>
        script.answer('submitOrder', accepts, acceptsFilled).answer('cancelOrder', (input, at) => {
          const [status, quantity] = isFilled ? (['FILLED', '10'] as const) : (['CANCELLED', '0'] as const)
          return says(() => play, status, quantity)(input, at)
        }),
      )
      await play.script.accepted('entry')
      const fill = async (): Promise<void> => {
        await sleep(round * 4)
        if (play.script.callsOf('cancelOrder').length > 0) return
        isFilled = true
        await play.tell(play.entryId, 'FILLED', '10')
      }
      const [replaced] = await Promise.allSettled([play.replace(), fill()])
      const outcome = await play.result()
      assert.equal(replaced.status === 'rejected', isFilled)
      assert.equal(outcome.exitFilled, isFilled ? '10' : '0')
      assert.equal(play.script.inputs('recordReplaced').length, isFilled ? 0 : 1)
    }
  })

  describe('the cancel of an exit and its time', () => {
    const leaving = async (): Promise<SignalPlay> => {
      const play = await stage.begin({ exit: exitAfter(SOON) }, (script) =>
        script.answer('submitOrder', acceptsFilled, acceptsFilled),
      )
      await play.script.called('planExit')
      return play
    }

    it('the cancel first: no exit', async () => {
      const play = await leaving()
      await play.cancelExit()
      assert.equal((await play.result()).exitFilled, '0')
    })

    it('the cancel of an exit and its time both in one task: no exit', async () => {
      const play = await leaving()
      const answer = await inOneTask(await stage.minutesFromNow(SOON), () => play.cancelExit())
      assert.equal(answer.status, 'fulfilled')
      assert.equal((await play.result()).exitFilled, '0')
    })

    it('the time first: the exit is sent', async () => {
      const play = await leaving()
      assert.equal((await play.result()).exitFilled, '10')
    })
  })

  it('the end of a good till date order and its fill in one task: the fill counts, nothing is cancelled', async () => {
    const expiresAt = await stage.minutesFromNow(SOON)
    const play = await stage.begin({ ...gtcLimit, timeInForce: 'gtd', expiresAt }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await inOneTask(expiresAt, () => play.tell(play.entryId, 'FILLED', '10'))
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(play.script.inputs('cancelOrder'), [])
  })
})
