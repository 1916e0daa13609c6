import assert from 'node:assert/strict'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import { refused } from '#test/support/rejections.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import { acceptsFilled, waitsForEarlierSignals } from '#test/support/step-answers.ts'

describe('a scheduled signal', () => {
  const stage = useStage()

  /** A signal for so many minutes from now, filled as soon as it is sent, and valid for so many minutes. */
  function scheduledIn(minutes: number, validFor: number | null = null): Promise<SignalPlay> {
    const validUntil = validFor === null ? null : stage.minutesFromNow(validFor)
    const times: Partial<SignalTerms> = { validUntil, sendBefore: validUntil }
    return stage.begin(
      { executeMode: 'scheduled', scheduledAt: stage.minutesFromNow(minutes), ...times },
      { submitOrder: [acceptsFilled] },
    )
  }

  it('a scheduled signal is sent at its time, neither earlier nor noticeably later', async () => {
    const play = await scheduledIn(90)
    await play.script.called('recordWaiting')
    const { scheduledAt: until, signalId, acceptedAt: at } = play.terms
    assert.deepEqual(play.script.inputs('recordWaiting'), [{ signalId, at, for: 'time', until }])
    assert.deepEqual(await play.progress(), { status: 'scheduled', waitsFor: 'its time', until })
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
    assert.equal(play.script.callsOf('submitOrder')[0]!.at, until)
  })

  it('a scheduled signal that waits behind an earlier one has as long from then on as it had from its time', async () => {
    const scheduledAt = stage.minutesFromNow(90)
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt, sendBefore: addMinutes(scheduledAt, 1) },
      {
        prepareEntry: [
          waitsForEarlierSignals,
          (_, at) => ({ outcome: 'ready', quantity: '10', advisories: [], sequencedAt: at }),
        ],
        submitOrder: [acceptsFilled],
      },
    )
    await play.result()
    const [sent] = play.script.callsOf('submitOrder')
    assert.equal(sent!.input.sendBefore, addMinutes(sent!.at, 1))
  })

  it('a scheduled signal withdrawn before its time: cancelled, nothing is sent, a second withdrawal finds it ended', async () => {
    const play = await scheduledIn(90)
    assert.deepEqual(await play.withdraw(), { status: 'cancelled', reason: 'WITHDRAWN' })
    assert.equal((await play.result()).status, 'cancelled')
    assert.deepEqual(play.script.order, ['recordWaiting', 'recordCancelled'])
    const [cancelled] = play.script.inputs('recordCancelled')
    assert.equal(cancelled?.detail, 'Withdrawn by bob@example.test before an order was sent')
    assert.ok(!('settles' in cancelled), 'no order has ended with it')
    await assert.rejects(play.withdraw(), /completed|not found/i)
  })

  for (const [validFor, status] of [
    [20, 'cancelled'],
    [60, 'executed'],
  ] as const)
    it(`a scheduled signal for 10 minutes from now, valid for ${validFor} and whose worker is down until the 30th: ${status}`, async () => {
      const play = await scheduledIn(10, validFor)
      await play.script.called('recordWaiting')
      await stage.settle()
      await stage.stopWorker()
      await stage.letPass(30)
      await stage.startWorker()
      const outcome = await play.result()
      assert.deepEqual([outcome.status, outcome.reason], [status, status === 'executed' ? null : 'EXPIRED'])
      assert.equal(
        play.script.inputs('submitOrder')[0]?.sendBefore,
        outcome.reason ? undefined : play.terms.validUntil,
      )
    })

  it('a scheduled signal that waits cannot be approved, declined or have its exit cancelled', async () => {
    const play = await scheduledIn(90)
    await refused(play.approve(), 'SIGNAL_NOT_PENDING')
    await refused(play.decline(), 'SIGNAL_NOT_PENDING')
    await refused(play.cancelExit(), 'EXIT_NOT_CANCELLABLE')
  })
})
