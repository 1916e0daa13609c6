import assert from 'node:assert/strict'
import type { SignalScript } from '#test/support/recording-activities.ts'
import { acceptsFilled, databaseDown, fails } from '#test/support/step-answers.ts'
import { refused } from '../../support/rejections.ts'
import { useStage } from '#test/support/signal-stage.ts'

/** More attempts than an hour has room for. */
const FOR_EVER = 2_000
const noPrice = fails('No price of AAPL could be had: last trade: 500', 'BrokerOutcomeUnknown')
const never = (script: SignalScript) =>
  script.answer('prepareEntry', ...Array.from({ length: FOR_EVER }, () => noPrice))

describe('an entry that cannot be checked', function () {
  this.timeout(60_000)
  const stage = useStage()

  it('ends when its time is over, as STALE with the reason, and not when the outage does', async () => {
    const sendBefore = await stage.minutesFromNow(1)
    const play = await stage.begin({ sendBefore }, never)
    const { status, reason } = await play.result()
    assert.deepEqual([status, reason], ['error', 'STALE'])
    const [ended] = play.script.callsOf('recordCancelled')
    assert.ok(ended!.at >= sendBefore && Date.parse(ended!.at) - Date.parse(sendBefore) < 30_000, ended!.at)
    assert.equal(ended!.input.reason, 'STALE')
    assert.match(ended!.input.detail, /nothing was sent: No price of AAPL could be had/)
    assert.deepEqual(play.script.inputs('submitOrder'), [])
  })

  it('an entry that cannot be checked and that a lost worker had decided to send by then: the decision counts', async () => {
    const sendBefore = await stage.minutesFromNow(0.1)
    const play = await stage.begin({ sendBefore }, (script) =>
      script
        .answer('prepareEntry', ...Array.from({ length: 8 }, () => databaseDown))
        .answer('submitOrder', acceptsFilled)
        .answer('recordCancelled', () => 'too_late'),
    )
    assert.equal((await play.result()).status, 'executed')
    assert.equal(play.sent(play.entryId).length, 1)
  })

  it('an entry that cannot be checked and that a person has approved waits for a person again, who is told why, and is sent once it is approved anew', async () => {
    const validUntil = await stage.minutesFromNow(30)
    const play = await stage.begin({ executeMode: 'pending', validUntil, sendBefore: validUntil }, (script) =>
      script
        .answer('prepareEntry', ...Array.from({ length: 8 }, () => noPrice))
        .answer('submitOrder', acceptsFilled),
    )
    const sendBefore = await stage.minutesFromNow(0.5)
    const { message } = await refused(play.approve({ sendBefore }), 'WOULD_BE_REFUSED')
    assert.match(message, /^It could not be checked in time, and nothing was sent: No price of AAPL/)
    assert.equal((await play.progress()).status, 'pending')
    assert.equal((await play.approve()).status, 'executed')
    await play.result()
    assert.deepEqual(play.script.inputs('recordCancelled'), [])
  })

  it('expires by its own instant where it has one', async () => {
    const validUntil = await stage.minutesFromNow(2)
    const play = await stage.begin({ validUntil, sendBefore: validUntil }, never)
    const { status, reason } = await play.result()
    assert.deepEqual([status, reason], ['cancelled', 'EXPIRED'])
  })

  it('an entry that cannot be checked and closes a position: goes on, since what blocks it may be about to make way', async () => {
    const sendBefore = await stage.minutesFromNow(1)
    const play = await stage.begin({ sendBefore, action: 'closeLong' }, never)
    await play.script.called('prepareEntry')
    await stage.letPass(5)
    assert.deepEqual(play.script.inputs('recordCancelled'), [])
    await play.withdraw()
    await play.result()
  })
})
