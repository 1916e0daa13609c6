import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { addMinutes } from '#domain/wall-time.ts'
import {
  acceptsFilled,
  databaseDown,
  strategyPaused,
  waitsForEarlierSignals,
} from '../../support/step-answers.ts'
import { refused } from '../../support/rejections.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

/** A timer starts when the task that asks for it ends, so it may ring a little late, in milliseconds. */
const LATENESS = 3_000

describe('a scheduled signal', function () {
  this.timeout(30_000)
  const stage = useStage()

  /** A signal for so many minutes from now, filled as soon as it is sent. */
  async function scheduledIn(
    minutes: number,
    { validFor = null }: { validFor?: number | null } = {},
  ): Promise<SignalPlay> {
    const validUntil = validFor === null ? null : await stage.minutesFromNow(validFor)
    return stage.begin(
      {
        executeMode: 'scheduled',
        scheduledAt: await stage.minutesFromNow(minutes),
        validUntil,
        sendBefore: validUntil,
      },
      (script) => script.answer('submitOrder', acceptsFilled),
    )
  }

  it('a scheduled signal whose strategy is paused by then is denied at its time: nothing is sent', async () => {
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(90) },
      (script) => script.answer('prepareEntry', strategyPaused),
    )
    assert.deepEqual(await play.result(), {
      status: 'rejected',
      reason: 'STRATEGY_PAUSED',
      entryFilled: '0',
      exitFilled: '0',
    })
    assert.deepEqual(play.script.inputs('submitOrder'), [])
  })

  it('a scheduled signal is sent at its time, neither earlier nor noticeably later', async () => {
    const play = await scheduledIn(90)
    await play.script.called('recordWaiting')
    const { scheduledAt } = play.terms
    assert.deepEqual(play.script.inputs('recordWaiting')[0], {
      signalId: play.terms.signalId,
      at: play.script.inputs('recordWaiting')[0]?.at,
      for: 'time',
      until: scheduledAt,
    })
    assert.deepEqual(await play.progress(), {
      status: 'scheduled',
      waitsFor: 'its time',
      until: scheduledAt,
    })
    assert.equal((await play.result()).status, 'executed')
    assert.deepEqual(play.script.order, [
      'recordWaiting',
      'recordDue',
      'prepareEntry',
      'submitOrder',
      'recordAccepted',
      'recordClosed',
    ])
    assert.equal(play.script.inputs('recordDue')[0]?.approval, null)
    const late = Date.parse(play.script.callsOf('submitOrder')[0]!.at) - Date.parse(scheduledAt!)
    assert.ok(late >= 0 && late < LATENESS, `sent ${late} ms after its time`)
  })

  it('a scheduled signal that waits for its turn has as long from then on as it had from its time', async () => {
    const scheduledAt = await stage.minutesFromNow(90)
    const sendBefore = addMinutes(scheduledAt, 1)
    const play = await stage.begin({ executeMode: 'scheduled', scheduledAt, sendBefore }, (script) =>
      script
        .answer('prepareEntry', waitsForEarlierSignals, (_, at) => ({
          outcome: 'ready',
          quantity: '10',
          advisories: [],
          sequencedAt: at,
        }))
        .answer('submitOrder', acceptsFilled),
    )
    await play.result()
    const [sent] = play.script.callsOf('submitOrder')
    assert.ok(sent!.input.sendBefore! <= addMinutes(sent!.at, 1), 'not an hour and a half longer')
  })

  it('a scheduled signal whose time has passed when it starts: sent at once', async () => {
    const play = await scheduledIn(-5)
    assert.equal((await play.result()).status, 'executed')
    assert.ok((await play.history()).every(({ timerStartedEventAttributes }) => !timerStartedEventAttributes))
  })

  it('withdrawn before its time: cancelled, nothing is sent, a second withdrawal finds it ended', async () => {
    const play = await scheduledIn(90)
    assert.deepEqual(await play.withdraw(), { status: 'cancelled', reason: 'WITHDRAWN' })
    const outcome = await play.result()
    assert.equal(outcome.status, 'cancelled')
    assert.deepEqual(play.script.order, ['recordWaiting', 'recordCancelled'])
    const [cancelled] = play.script.inputs('recordCancelled')
    assert.equal(cancelled?.detail, 'Withdrawn by bob@example.test before an order was sent')
    assert.ok(!('settles' in cancelled), 'no order has ended with it')
    await assert.rejects(play.withdraw(), /completed|not found/i)
  })

  it('withdrawn while the database is down: answered when that is in the ledger', async () => {
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(90) },
      (script) => script.answer('recordCancelled', databaseDown, databaseDown),
    )
    assert.equal((await play.withdraw()).status, 'cancelled')
    assert.equal(play.script.inputs('recordCancelled').length, 3)
    await play.result()
  })

  it('a scheduled signal that expires before its time: cancelled as EXPIRED when its time comes', async () => {
    const play = await scheduledIn(60, { validFor: 30 })
    const outcome = await play.result()
    assert.deepEqual([outcome.status, outcome.reason], ['cancelled', 'EXPIRED'])
    assert.deepEqual(play.script.order, ['recordWaiting', 'recordCancelled'])
  })

  describe('whose worker is down when its time comes', () => {
    /** Stops the worker until so many milliseconds after the signal's time; the clock runs and is not skipped here. */
    async function outage(play: SignalPlay, lasting: number): Promise<void> {
      await play.script.called('recordWaiting')
      await stage.stopWorker()
      const until = Date.parse(play.terms.scheduledAt!) + lasting
      await sleep(until - (await stage.now()))
      await stage.startWorker()
    }

    it('a scheduled signal whose worker is down when its time comes and its validity ends before the worker is back: expired, not sent', async () => {
      const play = await scheduledIn(0.03, { validFor: 0.04 })
      await outage(play, 1_000)
      const outcome = await play.result()
      assert.deepEqual([outcome.status, outcome.reason], ['cancelled', 'EXPIRED'])
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('a scheduled signal whose worker is down when its time comes and its validity does not: sent late, and not past its validity', async () => {
      const play = await scheduledIn(0.03, { validFor: 60 })
      await outage(play, 1_000)
      assert.equal((await play.result()).status, 'executed')
      assert.equal(play.script.inputs('submitOrder')[0]?.sendBefore, play.terms.validUntil)
    })
  })

  it('a scheduled signal that waits cannot be approved, declined or have its exit cancelled', async () => {
    const play = await scheduledIn(90)
    await refused(play.approve(), 'SIGNAL_NOT_PENDING')
    await refused(play.decline(), 'SIGNAL_NOT_PENDING')
    await refused(play.cancelExit(), 'EXIT_NOT_CANCELLABLE')
    await play.withdraw()
    await play.result()
  })
})
