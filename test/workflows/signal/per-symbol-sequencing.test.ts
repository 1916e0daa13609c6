import assert from 'node:assert/strict'
import { addMinutes } from '#domain/wall-time.ts'
import type { Answer, SignalScript } from '../../support/recording-activities.ts'
import { acceptsFilled, databaseDown, waitsForEarlierSignals } from '../../support/step-answers.ts'
import { refused } from '../../support/rejections.ts'
import { useStage } from '#test/support/signal-stage.ts'

/** Waits behind an earlier signal for so many looks, until an instant at most. */
const waits =
  (looks: number, until?: string) =>
  (script: SignalScript): unknown =>
    script
      .answer(
        'prepareEntry',
        ...Array.from({ length: looks }, (): Answer<'prepareEntry'> => (input, at) => {
          const waiting = waitsForEarlierSignals(input, at)
          return until === undefined ? waiting : { ...waiting, until }
        }),
        (_, at) => ({ outcome: 'ready', quantity: '10', advisories: [], sequencedAt: at }),
      )
      .answer('submitOrder', acceptsFilled)
const FOR_EVER = 1_000

describe('the checks before the entry', function () {
  this.timeout(30_000)
  const stage = useStage()

  it('the checks before the entry that deny it: rejected with their code, nothing is sent', async () => {
    const { play, answer } = await stage.beginAndAwaitEntry({}, (script) =>
      script.answer('prepareEntry', () => ({ outcome: 'denied', code: 'MODE_MISMATCH', detail: 'why' })),
    )
    assert.deepEqual(answer, { status: 'rejected', orderId: null, reason: 'MODE_MISMATCH', detail: 'why' })
    await play.result()
    assert.deepEqual(play.script.order, ['prepareEntry', 'recordNotPlaced'])
  })

  it('the checks before the entry that find another size: that size is sent, and their advisories are recorded', async () => {
    const advisories = [{ code: 'quantity_reduced_to_position', message: 'for 4' }]
    const { play, answer } = await stage.beginAndAwaitEntry({ action: 'closeLong' }, (script) =>
      script
        .answer('prepareEntry', () => ({ outcome: 'ready', quantity: '4', advisories }))
        .answer('submitOrder', acceptsFilled),
    )
    await play.result()
    assert.equal(play.script.inputs('submitOrder')[0]?.request.quantity, '4')
    assert.deepEqual(play.script.inputs('recordAccepted')[0]?.advisories, advisories)
    assert.deepEqual(answer.advisories, advisories)
  })

  it('the checks before the entry that fail, because the database is down: repeated; the age of the signal counts from its acceptance', async () => {
    const play = await stage.begin({ sendBefore: await stage.minutesFromNow(1) }, (script) =>
      script
        .answer('prepareEntry', databaseDown, databaseDown, databaseDown)
        .answer('submitOrder', acceptsFilled),
    )
    await play.result()
    assert.equal(play.script.inputs('prepareEntry').length, 4)
    assert.equal(play.script.inputs('submitOrder')[0]?.sendBefore, play.terms.sendBefore)
  })

  describe('that make it wait for earlier signals', () => {
    it('the checks before the entry that make it wait for earlier signals are repeated as soon as an earlier signal has changed; then its time limit starts again', async () => {
      const play = await stage.begin({}, waits(2))
      await play.script.called('prepareEntry')
      await play.earlierSignalChanged()
      await play.script.called('prepareEntry', 2)
      await play.earlierSignalChanged()
      await play.result()
      assert.equal(play.script.inputs('prepareEntry').length, 3)
      const [sent] = play.script.callsOf('submitOrder')
      assert.equal(sent?.onTheSpot, true)
      const from = play.script.callsOf('prepareEntry').at(-1)!.at
      // The window of the sample is a minute; the clock of the workflow lies between the two calls.
      assert.ok(
        sent.input.sendBefore! >= addMinutes(from, 1) && sent.input.sendBefore! <= addMinutes(sent.at, 1),
      )
    })

    it('let an opening be sent until the end of its wait at most, though it would have longer from its turn on', async () => {
      const until = await stage.minutesFromNow(0.5)
      const play = await stage.begin({}, (script) =>
        script
          .answer(
            'prepareEntry',
            (input, at) => ({ ...waitsForEarlierSignals(input, at), until }),
            (_, at) => ({
              outcome: 'ready',
              quantity: '10',
              advisories: [],
              sequencedAt: at,
              sequencingUntil: until,
            }),
          )
          .answer('submitOrder', acceptsFilled),
      )
      await play.result()
      assert.equal(play.script.inputs('submitOrder')[0]?.sendBefore, until)
    })

    it('the checks before the entry that make it wait for earlier signals are repeated slowly without a message, and name the reason of the wait', async () => {
      const validUntil = await stage.minutesFromNow(24 * 60)
      const play = await stage.begin({ validUntil, sendBefore: validUntil }, waits(FOR_EVER, validUntil))
      await play.script.called('prepareEntry')
      assert.equal((await play.progress()).waitsFor, 'earlier signals of the account in AAPL (earlier)')
      await stage.letPass(60)
      const looks = play.script.inputs('prepareEntry').length
      assert.ok(looks >= 10 && looks <= 22, `${looks} looks in an hour`)
      await play.withdraw()
      await play.result()
    })

    it('the checks before the entry that make it wait for earlier signals are repeated at the end of the wait, and then decide without the earlier signals', async () => {
      const until = await stage.minutesFromNow(1)
      const play = await stage.begin({ action: 'closeLong' }, waits(4, until))
      await play.result()
      const [sent] = play.script.callsOf('submitOrder')
      assert.ok(sent!.at >= until && sent!.at < addMinutes(until, 1))
    })

    it('the checks before the entry that make it wait for earlier signals that failed at first: it is not too old when the earlier signals have ended', async () => {
      const play = await stage.begin({ sendBefore: await stage.minutesFromNow(1) }, (script) => {
        script.answer('prepareEntry', databaseDown)
        waits(3)(script)
      })
      await play.result()
      const [sent] = play.script.callsOf('submitOrder')
      assert.ok(sent!.input.sendBefore! > sent!.at)
    })

    it('the checks before the entry that make it wait for earlier signals and it is withdrawn meanwhile: cancelled, nothing is sent', async () => {
      const play = await stage.begin({}, waits(FOR_EVER))
      await play.script.called('prepareEntry')
      assert.deepEqual(await play.withdraw(), { status: 'cancelled', reason: 'WITHDRAWN' })
      await play.result()
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('the checks before the entry that make it wait for earlier signals and it is withdrawn twice: the second answer says so', async () => {
      const play = await stage.begin({}, (script) => {
        waits(FOR_EVER)(script)
        script.answer('recordCancelled', databaseDown, databaseDown)
      })
      await play.script.called('prepareEntry')
      const first = play.withdraw()
      await play.script.called('recordCancelled')
      const { message } = await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
      assert.match(message, /withdrawn already/)
      await first
      await play.result()
    })

    it('the checks before the entry that make it wait for earlier signals and it expires meanwhile: cancelled as EXPIRED, nothing is sent', async () => {
      const validUntil = await stage.minutesFromNow(2)
      const play = await stage.begin({ validUntil, sendBefore: validUntil }, waits(FOR_EVER))
      await play.script.called('prepareEntry')
      await stage.letPass(2)
      const outcome = await play.result()
      assert.deepEqual([outcome.status, outcome.reason], ['cancelled', 'EXPIRED'])
      assert.deepEqual(play.script.inputs('submitOrder'), [])
    })

    it('the checks before the entry that make it wait for earlier signals and it is valid until an instant: not sent after that, however long the wait', async () => {
      const validUntil = await stage.minutesFromNow(2)
      const play = await stage.begin({ validUntil, sendBefore: validUntil }, waits(1))
      await play.result()
      assert.equal(play.script.inputs('submitOrder')[0]?.sendBefore, validUntil)
    })
  })

  it('the checks before the entry that a crashed worker had already passed: a withdrawal is rejected, the entry is sent', async () => {
    const play = await stage.begin({}, (script) => {
      waits(1)(script)
      script.answer('recordCancelled', () => 'too_late')
    })
    await play.script.called('prepareEntry')
    const { message } = await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
    assert.match(message, /about to be sent|is being sent|has an entry order/)
    assert.equal((await play.result()).status, 'executed')
    assert.equal(play.sent(play.entryId).length, 1)
  })

  it('the checks before the entry that deny it during a withdrawal: the denial counts, and the withdrawal is rejected', async () => {
    const play = await stage.begin({}, (script) =>
      script
        .answer('prepareEntry', () => ({ outcome: 'denied', code: 'MODE_MISMATCH', detail: 'why' }))
        .answer('recordNotPlaced', databaseDown, databaseDown),
    )
    await play.script.called('recordNotPlaced', 2)
    await refused(play.withdraw(), 'SIGNAL_NOT_CANCELLABLE')
    assert.equal((await play.result()).reason, 'MODE_MISMATCH')
  })
})
