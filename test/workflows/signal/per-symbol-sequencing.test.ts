import assert from 'node:assert/strict'
import { addMinutes } from '#domain/time/wall-time.ts'
import type { Answer, Answers } from '#test/support/recording-activities.ts'
import { refused } from '#test/support/rejections.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  acceptsFilled,
  databaseDown,
  denies,
  fails,
  times,
  waitsForEarlierSignals,
} from '#test/support/step-answers.ts'

const noPrice = fails('No price of AAPL could be had: last trade: 500', 'BrokerOutcomeUnknown')
/** More looks, or tries, than an hour has room for. */
const FOR_EVER = 2_000
const never: Answers = { prepareEntry: times(FOR_EVER, noPrice) }

/** Waits behind an earlier signal for so many looks, until an instant at most. */
function waits(looks: number, until?: string): Answers & { prepareEntry: Answer<'prepareEntry'>[] } {
  const look: Answer<'prepareEntry'> = (_, at) => ({
    ...waitsForEarlierSignals(_, at),
    ...(until && { until }),
  })
  const ready: Answer<'prepareEntry'> = (_, at) => ({
    outcome: 'ready',
    quantity: '10',
    advisories: [],
    sequencedAt: at,
  })
  return { prepareEntry: [...times(looks, look), ready], submitOrder: [acceptsFilled] }
}

describe('the checks before the entry', () => {
  const stage = useStage()
  const validFor = (minutes: number) => {
    const validUntil = stage.minutesFromNow(minutes)
    return { validUntil, sendBefore: validUntil }
  }

  it('the checks before the entry that deny it: rejected with their code, nothing is sent', async () => {
    const { play, answer } = await stage.beginAndAwaitEntry({}, { prepareEntry: [denies('MODE_MISMATCH')] })
    assert.deepEqual(answer, { status: 'rejected', orderId: null, reason: 'MODE_MISMATCH', detail: 'why' })
    assert.deepEqual(play.script.order, ['prepareEntry', 'recordNotPlaced'])
  })

  it('the checks before the entry that find another size: that size is sent, and their advisories are recorded', async () => {
    const advisories = [{ code: 'quantity_reduced_to_position', message: 'for 4' }]
    const { play, answer } = await stage.beginAndAwaitEntry(
      { action: 'closeLong' },
      {
        prepareEntry: [() => ({ outcome: 'ready', quantity: '4', advisories })],
        submitOrder: [acceptsFilled],
      },
    )
    assert.equal(play.script.inputs('submitOrder')[0]?.request.quantity, '4')
    assert.deepEqual(
      [play.script.inputs('recordAccepted')[0]?.advisories, answer.advisories],
      [advisories, advisories],
    )
  })

  it('the checks before the entry that fail, because the database is down: repeated; the age of the signal counts from its acceptance', async () => {
    const answers = { prepareEntry: times(3, databaseDown), submitOrder: [acceptsFilled] }
    const play = await stage.begin({ sendBefore: stage.minutesFromNow(1) }, answers)
    await play.result()
    assert.equal(play.script.inputs('prepareEntry').length, 4)
    assert.equal(play.script.inputs('submitOrder')[0]?.sendBefore, play.terms.sendBefore)
  })

  describe('that make it wait for earlier signals', () => {
    it('the checks before the entry that make it wait for earlier signals are repeated as soon as an earlier signal has changed; then its time limit starts again', async () => {
      const play = await stage.begin({}, waits(2))
      for (const looks of [1, 2]) {
        await play.script.called('prepareEntry', looks)
        await play.earlierSignalChanged()
      }
      await play.result()
      assert.equal(play.script.inputs('prepareEntry').length, 3)
      const [sent] = play.script.callsOf('submitOrder')
      assert.equal(sent?.onTheSpot, true)
      // The window of the sample is a minute.
      assert.equal(sent.input.sendBefore, addMinutes(sent.at, 1))
    })

    it('the checks before the entry that make it wait for earlier signals let an opening be sent until the end of its wait at most, though it would have longer after its wait', async () => {
      const until = stage.minutesFromNow(0.5)
      const { prepareEntry, ...others } = waits(1, until)
      const [look, ready] = prepareEntry
      const limited: Answer<'prepareEntry'> = async (...call) =>
        ({ ...(await ready!(...call)), sequencingUntil: until }) as Awaited<ReturnType<typeof look & {}>>
      const play = await stage.begin({}, { prepareEntry: [look!, limited], ...others })
      await play.result()
      assert.equal(play.script.inputs('submitOrder')[0]?.sendBefore, until)
    })

    it('the checks before the entry that make it wait for earlier signals are repeated slowly without a message, and name the reason of the wait', async () => {
      const times = validFor(24 * 60)
      const play = await stage.begin(times, waits(FOR_EVER, times.validUntil))
      await play.script.called('prepareEntry')
      assert.equal((await play.progress()).waitsFor, 'earlier signals of the account in AAPL (earlier)')
      await stage.letPass(60)
      const looks = play.script.inputs('prepareEntry').length
      assert.ok(looks >= 10 && looks <= 22, `${looks} looks in an hour`)
    })

    it('the checks before the entry that make it wait for earlier signals are repeated at the end of the wait, and then decide without the earlier signals', async () => {
      const until = stage.minutesFromNow(1)
      const play = await stage.begin({ action: 'closeLong' }, waits(4, until))
      await play.result()
      const [sent] = play.script.callsOf('submitOrder')
      assert.ok(sent!.at >= until && sent!.at < addMinutes(until, 1))
    })

    it('the checks before the entry that make it wait for earlier signals that failed at first: it is not too old when the earlier signals have ended', async () => {
      const { prepareEntry, ...others } = waits(3)
      const play = await stage.begin(
        { sendBefore: stage.minutesFromNow(1) },
        { prepareEntry: [databaseDown, ...prepareEntry], ...others },
      )
      await play.result()
      const [sent] = play.script.callsOf('submitOrder')
      assert.ok(sent!.input.sendBefore! > sent!.at)
    })

    it('the checks before the entry that make it wait for earlier signals and it is withdrawn meanwhile: cancelled, nothing is sent, and a second withdrawal is answered so', async () => {
      const answers = { ...waits(FOR_EVER), recordCancelled: [databaseDown, databaseDown] }
      const play = await stage.begin({}, answers)
      await play.script.called('prepareEntry')
      const first = play.withdraw()
      await play.script.called('recordCancelled')
      const { message } = await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
      assert.match(message, /withdrawn already/)
      assert.deepEqual(await first, { status: 'cancelled', reason: 'WITHDRAWN' })
      assert.deepEqual(play.orderIds, [])
    })

    it('the checks before the entry that make it wait for earlier signals and it is valid until an instant: not sent after that, however long the wait', async () => {
      const play = await stage.begin(validFor(2), waits(1))
      await play.result()
      assert.equal(play.script.inputs('submitOrder')[0]?.sendBefore, play.terms.validUntil)
    })
  })

  it('the checks before the entry that a crashed worker had already passed: a withdrawal is rejected, the entry is sent', async () => {
    const play = await stage.begin({}, { ...waits(1), recordCancelled: [() => 'too_late'] })
    await play.script.called('prepareEntry')
    const { message } = await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
    assert.match(message, /about to be sent|is being sent|has an entry order/)
    assert.equal((await play.result()).status, 'executed')
    assert.equal(play.sent(play.entryId).length, 1)
  })

  it('the checks before the entry that deny it during a withdrawal or a replacement: the denial counts, and both are rejected', async () => {
    const answers = { prepareEntry: [denies('MODE_MISMATCH')], recordNotPlaced: [databaseDown, databaseDown] }
    const play = await stage.begin({}, answers)
    await play.script.called('recordNotPlaced', 2)
    await Promise.all([
      refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE'),
      refused(play.replace(), 'SIGNAL_ENDED'),
    ])
    assert.equal((await play.result()).reason, 'MODE_MISMATCH')
    assert.deepEqual(play.script.inputs('recordReplaced'), [])
  })

  describe('that cannot be made', () => {
    it('an entry that cannot be checked ends when its time has passed, as STALE with the reason, and not when the outage does', async () => {
      const play = await stage.begin({ sendBefore: stage.minutesFromNow(1) }, never)
      const { status, reason } = await play.result()
      assert.deepEqual([status, reason, play.orderIds], ['error', 'STALE', []])
      const [{ at, input } = assert.fail('no end')] = play.script.callsOf('recordCancelled')
      assert.deepEqual([at, input.reason], [play.terms.sendBefore, 'STALE'])
      assert.match(input.detail, /nothing was sent: No price of AAPL could be had/)
    })

    it('an entry that cannot be checked and that a lost worker had decided to send by then: the decision counts', async () => {
      const play = await stage.begin(
        { sendBefore: stage.minutesFromNow(0.1) },
        {
          prepareEntry: times(8, databaseDown),
          submitOrder: [acceptsFilled],
          recordCancelled: [() => 'too_late'],
        },
      )
      assert.equal((await play.result()).status, 'executed')
      assert.equal(play.sent(play.entryId).length, 1)
    })

    it('an entry that cannot be checked expires by its own instant where it has one', async () => {
      const play = await stage.begin(validFor(2), never)
      const { status, reason } = await play.result()
      assert.deepEqual([status, reason], ['cancelled', 'EXPIRED'])
    })

    it('an entry that cannot be checked and closes a position: goes on, since what blocks it may be about to end', async () => {
      const play = await stage.begin({ sendBefore: stage.minutesFromNow(1), action: 'closeLong' }, never)
      await stage.letPass(5)
      assert.ok(play.script.inputs('prepareEntry').length > 10)
      assert.deepEqual(play.script.inputs('recordCancelled'), [])
      assert.equal((await play.withdraw()).status, 'cancelled')
    })
  })
})
