import assert from 'node:assert/strict'
import {
  databaseDown,
  acceptsFilled,
  accepts,
  refusedForNow,
  strategyPaused,
} from '../../support/step-answers.ts'
import { refused } from '../../support/rejections.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

describe('a pending signal', function () {
  this.timeout(30_000)
  const stage = useStage()

  const pending = async (validFor: number | null = 60): Promise<SignalPlay> =>
    stage.begin(
      {
        executeMode: 'pending',
        orderType: 'limit',
        limitPrice: '187.5',
        validUntil: validFor === null ? null : await stage.minutesFromNow(validFor),
        sendBefore: null,
      },
      (script) => script.answer('submitOrder', acceptsFilled),
    )

  it('waits for a person and says until when', async () => {
    const play = await pending()
    await play.script.called('recordWaiting')
    assert.equal(play.script.inputs('recordWaiting')[0]?.for, 'person')
    assert.deepEqual(await play.progress(), {
      status: 'pending',
      waitsFor: 'a person to approve it',
      until: play.terms.validUntil,
    })
    await play.decline()
    await play.result()
  })

  it('approved without edits: sent unchanged, not after its validity; the answer contains the outcome', async () => {
    const play = await pending()
    const answer = await play.approve()
    assert.deepEqual(answer, {
      status: 'executed',
      orderId: `order ${play.entryId}`,
      reason: null,
      detail: null,
    })
    await play.result()
    assert.deepEqual(play.script.inputs('recordDue')[0]?.approval, {
      by: 'ann@example.test',
      quantity: null,
      limitPrice: null,
      sendBefore: null,
    })
    const [sent] = play.script.inputs('submitOrder')
    assert.deepEqual([sent?.request.quantity, sent?.request.limitPrice], ['10', '187.5'])
    assert.equal(sent?.sendBefore, play.terms.validUntil)
  })

  it('approved while its strategy is paused: denied, nothing is sent, and the answer says so', async () => {
    const play = await stage.begin({ executeMode: 'pending' }, (script) =>
      script.answer('prepareEntry', strategyPaused),
    )
    const { status, reason } = await play.approve()
    assert.deepEqual([status, reason], ['rejected', 'STRATEGY_PAUSED'])
    await play.result()
    assert.deepEqual(play.script.inputs('submitOrder'), [])
  })

  it('approved while it would be refused for a reason that can change: told so, it waits as it was sent, and is sent once it is approved again', async () => {
    const play = await stage.begin(
      { executeMode: 'pending', orderType: 'limit', limitPrice: '187.5', sendBefore: null },
      (script) => script.answer('prepareEntry', refusedForNow).answer('submitOrder', acceptsFilled),
    )
    const { message } = await refused(play.approve({ limitPrice: '300' }), 'WOULD_BE_REFUSED')
    assert.equal(message, 'Entries are paused')
    assert.deepEqual(await play.progress(), {
      status: 'pending',
      waitsFor: 'a person to approve it',
      until: null,
    })
    assert.equal((await play.approve()).status, 'executed')
    await play.result()
    assert.deepEqual(
      play.script.inputs('submitOrder').map(({ request }) => request.limitPrice),
      ['187.5'],
    )
  })

  it('approved with edits: checked, sized and sent as edited, until the instant that came with the approval', async () => {
    const play = await pending(null)
    const sendBefore = await stage.minutesFromNow(1)
    await play.approve({ quantity: '4', limitPrice: '180', sendBefore })
    await play.result()
    const [prepared] = play.script.inputs('prepareEntry')
    assert.deepEqual([prepared?.quantity, prepared?.limitPrice], ['4', '180'])
    const [sent] = play.script.inputs('submitOrder')
    assert.deepEqual([sent?.request.quantity, sent?.request.limitPrice], ['4', '180'])
    assert.equal(sent?.sendBefore, sendBefore)
  })

  it('a pending signal has its approval in the history before anything is done about it', async () => {
    const play = await pending()
    await play.approve()
    await play.result()
    const events = await play.history()
    const accepted = events.findIndex((event) => event.workflowExecutionUpdateAcceptedEventAttributes)
    const recorded = events.findIndex((event) => event.activityTaskScheduledEventAttributes)
    assert.ok(accepted >= 0 && accepted < recorded)
    assert.deepEqual(
      play.script.callsOf('recordDue').map(({ onTheSpot }) => onTheSpot),
      [false],
    )
  })

  it('declined: rejected with the reason, nothing is sent', async () => {
    const play = await pending()
    assert.deepEqual(await play.decline('too close to earnings'), { status: 'rejected', reason: 'DECLINED' })
    assert.equal((await play.result()).status, 'rejected')
    assert.deepEqual(play.script.order, ['recordWaiting', 'recordDeclined'])
    assert.equal(play.script.inputs('recordDeclined')[0]?.reason, 'too close to earnings')
  })

  it('withdrawn: cancelled, nothing is sent', async () => {
    const play = await pending()
    assert.deepEqual(await play.withdraw(), { status: 'cancelled', reason: 'WITHDRAWN' })
    await play.result()
    assert.deepEqual(play.script.order, ['recordWaiting', 'recordCancelled'])
  })

  it('a pending signal without a decision: cancelled as EXPIRED when its validity ends', async () => {
    const play = await pending(60)
    const outcome = await play.result()
    assert.deepEqual([outcome.status, outcome.reason], ['cancelled', 'EXPIRED'])
    const [expired] = play.script.callsOf('recordCancelled')
    const late = Date.parse(expired!.at) - Date.parse(play.terms.validUntil!)
    assert.ok(late >= 0 && late < 3_000, `expired ${late} ms late`)
  })

  describe('approved twice', () => {
    it('a pending signal approved twice with the same update id: one approval, the same answer', async () => {
      const play = await pending()
      const answers = await Promise.all([play.approve({}, 'approval'), play.approve({}, 'approval')])
      assert.deepEqual(answers[0], answers[1])
      await play.result()
      assert.equal(play.script.inputs('submitOrder').length, 1)
    })

    it('one after the other: the second answer names the person who approved', async () => {
      const play = await stage.begin({ executeMode: 'pending', sendBefore: null }, (script) =>
        script.answer('recordDue', databaseDown, databaseDown).answer('submitOrder', accepts),
      )
      const first = play.approve()
      await play.script.called('recordDue', 1)
      const { message } = await refused(play.approve({ by: 'carl' }), 'SIGNAL_NOT_PENDING')
      assert.match(message, /approved by ann@example.test already/)
      assert.equal((await first).status, 'executed')
      await play.fillEntry()
      await play.result()
    })
  })

  it('withdrawn after its approval and before it is sent: cancelled, and the answer to the approval says so', async () => {
    const play = await stage.begin({ executeMode: 'pending', sendBefore: null }, (script) =>
      script.answer('recordDue', databaseDown, databaseDown),
    )
    const approved = play.approve()
    await play.script.called('recordDue', 1)
    assert.deepEqual(await play.withdraw(), { status: 'cancelled', reason: 'WITHDRAWN' })
    assert.deepEqual([(await approved).status, (await approved).reason], ['cancelled', 'WITHDRAWN'])
    await play.result()
    assert.deepEqual(play.script.inputs('submitOrder'), [])
  })

  it('approved and declined at once: whichever comes first counts', async () => {
    const play = await pending()
    const [approved, declined] = await Promise.allSettled([play.approve(), play.decline()])
    assert.equal([approved, declined].filter(({ status }) => status === 'fulfilled').length, 1)
    const outcome = await play.result()
    assert.equal(outcome.status, approved.status === 'fulfilled' ? 'executed' : 'rejected')
    assert.equal(play.orderIds.length, approved.status === 'fulfilled' ? 1 : 0)
  })
})
