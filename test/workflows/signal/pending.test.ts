import assert from 'node:assert/strict'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { Answers } from '#test/support/recording-activities.ts'
import { refused } from '#test/support/rejections.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  acceptsFilled,
  databaseDown,
  fails,
  holds,
  refusedForNow,
  times,
} from '#test/support/step-answers.ts'

const limit = { orderType: 'limit', limitPrice: '187.5' } as const
const WHY = 'The order is worth $6,000, and orders above $5,000 wait for a person'
const fillsTwice: Answers = { submitOrder: [acceptsFilled, acceptsFilled] }

/** How a signal ends that waits for a person, and what that has recorded. */
const STOPS: Record<string, [(play: SignalPlay) => Promise<unknown>, string, string, string]> = {
  declined: [(play) => play.decline('too close to earnings'), 'rejected', 'DECLINED', 'recordDeclined'],
  withdrawn: [(play) => play.withdraw(), 'cancelled', 'WITHDRAWN', 'recordCancelled'],
  replaced: [(play) => play.replace(), 'cancelled', 'SUPERSEDED', 'recordReplaced'],
  'without a decision until its validity ends': [async () => {}, 'cancelled', 'EXPIRED', 'recordCancelled'],
}

describe('a signal that waits for a person', () => {
  const stage = useStage()

  /** One that its sender wants to be approved. */
  const pending = (changes: Partial<SignalTerms> = {}, answers: Answers = fillsTwice): Promise<SignalPlay> =>
    stage.begin({ executeMode: 'pending', sendBefore: null, ...changes }, answers)
  const validFor = (minutes: number) => {
    const validUntil = stage.minutesFromNow(minutes)
    return { validUntil, sendBefore: validUntil }
  }
  /** One that a rule of its owner holds. */
  const held = (changes: Partial<SignalTerms> = {}): Promise<SignalPlay> =>
    stage.begin(changes, { prepareEntry: [holds(WHY)], ...fillsTwice })

  it('a pending signal waits for a person and says until when', async () => {
    const play = await pending(validFor(60))
    await play.script.called('recordWaiting')
    assert.equal(play.script.inputs('recordWaiting')[0]?.for, 'person')
    const waits = { status: 'pending', waitsFor: 'a person to approve it', until: play.terms.validUntil }
    assert.deepEqual(await play.progress(), waits)
  })

  it('a signal whose entry is held for a person answers its sender that it is pending, and why', async () => {
    const { answer } = await stage.beginAndAwaitEntry({}, { prepareEntry: [holds(WHY)] })
    const advisories = [{ code: 'held_for_approval', message: WHY }]
    assert.deepEqual(answer, { status: 'pending', orderId: null, reason: null, detail: null, advisories })
  })

  for (const [title, [stop, status, reason, record]] of Object.entries(STOPS)) {
    it(`a pending signal ${title}: ${status} as ${reason}, nothing is sent`, async () => {
      const play = await pending(validFor(60))
      await play.script.called('recordWaiting')
      await stop(play)
      assert.deepEqual(await play.result(), { status, reason, entryFilled: '0', exitFilled: '0' })
      assert.deepEqual(play.script.order, ['recordWaiting', record])
      const { at } = play.script.calls.at(-1)!
      if (reason === 'EXPIRED') assert.equal(at, play.terms.validUntil)
      if (reason === 'DECLINED')
        assert.equal(play.script.inputs('recordDeclined')[0]?.reason, 'too close to earnings')
    })
  }

  it('a pending signal approved without edits: sent unchanged, not after its validity; the answer contains the outcome', async () => {
    const play = await pending({ ...limit, ...validFor(60) })
    const answer = await play.approve()
    assert.deepEqual(answer, {
      status: 'executed',
      orderId: `order ${play.entryId}`,
      reason: null,
      detail: null,
    })
    const [due] = play.script.callsOf('recordDue')
    const unchanged = { by: 'ann@example.test', quantity: null, limitPrice: null, sendBefore: null }
    assert.deepEqual(due?.input.approval, unchanged)
    // A local activity would not be in the history before the approval is: Temporal could lose it.
    assert.equal(due?.onTheSpot, false)
    const [{ request, sendBefore } = assert.fail('nothing was sent')] = play.script.inputs('submitOrder')
    assert.deepEqual(
      [request.quantity, request.limitPrice, sendBefore],
      ['10', '187.5', play.terms.validUntil],
    )
  })

  it('a pending signal approved with edits: checked, sized and sent as edited, until the instant that came with the approval', async () => {
    const play = await pending(limit)
    const edits = { quantity: '4', limitPrice: '180', sendBefore: stage.minutesFromNow(1) } as const
    await play.approve(edits)
    await play.result()
    const [prepared] = play.script.inputs('prepareEntry')
    const [{ request, sendBefore } = assert.fail('nothing was sent')] = play.script.inputs('submitOrder')
    for (const { quantity, limitPrice } of [prepared!, request])
      assert.deepEqual({ quantity, limitPrice, sendBefore }, edits)
  })

  it('a signal whose entry is held for a person sends nothing until a person approves, however late, and then the entry and its exit', async () => {
    const play = await held({ exit: exitAfter(1) })
    await stage.letPass(600)
    assert.deepEqual(play.orderIds, [])
    assert.equal((await play.approve()).status, 'executed')
    await play.result()
    assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
  })

  it('a signal whose entry is held for a person may be a scheduled one, held when its time has come, and not approved before', async () => {
    const play = await held({ executeMode: 'scheduled', scheduledAt: stage.minutesFromNow(5) })
    await refused(play.approve(), 'SIGNAL_NOT_PENDING')
    await stage.letPass(6)
    assert.deepEqual(
      play.script.inputs('recordWaiting').map((wait) => wait.for),
      ['time', 'person'],
    )
    await play.approve()
    assert.equal((await play.result()).status, 'executed')
  })

  it('a pending signal approved while it would be refused for a reason that can change: answered so, it waits as it was sent, and is sent once it is approved again', async () => {
    const play = await pending(limit, { prepareEntry: [refusedForNow], ...fillsTwice })
    const { message } = await refused(play.approve({ limitPrice: '300' }), 'WOULD_BE_REFUSED')
    assert.equal(message, 'Entries are paused')
    const waits = { status: 'pending', waitsFor: 'a person to approve it', until: null }
    assert.deepEqual(await play.progress(), waits)
    assert.equal((await play.approve()).status, 'executed')
    await play.result()
    assert.deepEqual(
      play.script.inputs('submitOrder').map(({ request }) => request.limitPrice),
      ['187.5'],
    )
  })

  it('a pending signal that cannot be checked in the time of its approval waits for a person again, who learns why, and is sent once it is approved again', async () => {
    const noPrice = fails('No price of AAPL could be had: last trade: 500', 'BrokerOutcomeUnknown')
    const play = await pending(validFor(30), { prepareEntry: times(8, noPrice), ...fillsTwice })
    const sendBefore = stage.minutesFromNow(0.5)
    const { message } = await refused(play.approve({ sendBefore }), 'WOULD_BE_REFUSED')
    assert.match(message, /^It could not be checked in time, and nothing was sent: No price of AAPL/)
    assert.equal((await play.progress()).status, 'pending')
    assert.equal((await play.approve()).status, 'executed')
    await play.result()
    assert.deepEqual(play.script.inputs('recordCancelled'), [])
  })

  it('a pending signal approved by two persons, one after the other: the second answer names the person who approved', async () => {
    const play = await pending({}, { recordDue: [databaseDown, databaseDown], ...fillsTwice })
    const first = play.approve()
    await play.script.called('recordDue')
    const { message } = await refused(play.approve({ by: 'carl' }), 'SIGNAL_NOT_PENDING')
    assert.match(message, /approved by ann@example.test already/)
    assert.equal((await first).status, 'executed')
  })

  it('a pending signal withdrawn after its approval and before it is sent: cancelled, and the answer to the approval says so', async () => {
    const play = await pending({}, { recordDue: [databaseDown, databaseDown] })
    const approved = play.approve()
    await play.script.called('recordDue')
    assert.deepEqual(await play.withdraw(), { status: 'cancelled', reason: 'WITHDRAWN' })
    const { status, reason } = await approved
    assert.deepEqual([status, reason, play.orderIds], ['cancelled', 'WITHDRAWN', []])
  })
})
