import assert from 'node:assert/strict'
import type { Signal } from '#db/entities/index.ts'
import { readDecision } from '#db/order/decisions.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import { signalIn, timelineOf } from '#test/support/ledger.ts'
import { held } from '#test/support/sample-position.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const AT = '2026-03-02T15:00:02.000Z'
const LATER = '2026-03-02T15:10:00.000Z'

describe('an entry above the value that its owner lets pass without a person', () => {
  let { em, broker, activities, accepted, prepare, setLimits, stuckAtBroker } = {} as ActivityDesk
  useDesk(
    async (desk) => {
      ;({ em, broker, activities, accepted, prepare, setLimits, stuckAtBroker } = desk)
      broker.lastPrice = '150'
      await setLimits({ approvalAboveValue: '1000' })
    },
    () => ({ maxWaiting: 3 }),
  )

  const approve = (signal: Signal) =>
    recordDue(em, signal.id, LATER, {
      by: 'trader@example.com',
      quantity: null,
      limitPrice: null,
      sendBefore: LATER,
    })
  const WHY = 'The order is worth $1,500, and orders above $1,000 wait for a person'

  it('an entry above the value that its owner lets pass without a person is held: the signal is pending, without an end, and its timeline and an advisory say why', async () => {
    const signal = await accepted({ sendBefore: new Date(AT) })
    assert.deepEqual(await prepare(signal), { outcome: 'held', detail: WHY })
    const { status, sendBefore, advisories } = await signalIn(em, signal.id)
    assert.deepEqual(
      { status, sendBefore, advisories },
      { status: 'pending', sendBefore: null, advisories: [{ code: 'held_for_approval', message: WHY }] },
    )
    const told = await timelineOf(em, signal.id)
    assert.deepEqual(told.at(-1)?.kind, 'held')
    assert.match(told.at(-1)!.message, /worth \$1,500,/)
  })

  it('an entry above the value that its owner lets pass without a person is held once, however often it is asked and at any later price', async () => {
    const signal = await accepted()
    await prepare(signal)
    broker.lastPrice = '1'
    await setLimits({})
    assert.deepEqual(await prepare(signal), { outcome: 'held', detail: WHY })
    assert.equal((await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'held').length, 1)
  })

  it('leaves once a person has approved it, decided again', async () => {
    const signal = await accepted()
    await prepare(signal)
    await approve(signal)
    const decided = await prepare(await signalIn(em, signal.id))
    assert.deepEqual(decided, { outcome: 'ready', quantity: '10', advisories: [] })
    assert.equal((await signalIn(em, signal.id)).status, 'queued')
  })

  it('leaves by the same decision when the record of the approval is written again', async () => {
    const signal = await accepted()
    await prepare(signal)
    await approve(signal)
    const first = await prepare(await signalIn(em, signal.id))
    await approve(signal)
    broker.lastPrice = '1'
    assert.deepEqual(await prepare(await signalIn(em, signal.id)), first)
  })

  it('an entry above the value that its owner lets pass without a person is compared with the price of the moment in which it began to wait', async () => {
    const signal = await accepted()
    await prepare(signal)
    await activities.recordWaiting({ signalId: signal.id, at: AT, for: 'person', until: null })
    await approve(signal)
    broker.lastPrice = '200'
    const decided = await prepare(await signalIn(em, signal.id))
    assert.equal(decided.outcome === 'held' && decided.refused?.code, 'PRICE_DRIFTED')
  })

  it('an entry above the value that its owner lets pass without a person is not held by an attempt that was given up and is behind the approval', async () => {
    const signal = await accepted()
    // The attempt has read its facts, and waits for its broker while the signal is held and approved.
    const { late, goOn } = await stuckAtBroker(() => prepare(signal))
    await prepare(signal)
    await approve(signal)
    goOn()
    await assert.rejects(late)
    assert.equal((await signalIn(em, signal.id)).status, 'queued')
    assert.equal(await readDecision(em, signal.id, 'entry'), null)
  })

  it('an entry above the value that its owner lets pass without a person is not held by an attempt that was given up and is behind the decision to send it', async () => {
    const signal = await accepted()
    const { late, goOn } = await stuckAtBroker(() => prepare(signal))
    await setLimits({})
    const sent = await prepare(signal)
    assert.equal(sent.outcome, 'ready')
    goOn()
    assert.deepEqual(await late, sent)
    assert.equal((await signalIn(em, signal.id)).status, 'queued')
  })

  it('an entry above the value that its owner lets pass without a person is refused where the account has its most waiting signals, and those that wait stay', async () => {
    const waiting = [await accepted(), await accepted({ executeMode: 'pending', status: 'pending' })]
    await prepare(waiting[0]!)
    const third = await accepted()
    assert.equal((await prepare(third)).outcome, 'held')
    assert.deepEqual(await prepare(await accepted()), {
      outcome: 'denied',
      code: 'APPROVAL_REQUIRED',
      detail: `${WHY}; 3 signals of the account wait already, and no more may`,
    })
    assert.equal((await prepare(third)).outcome, 'held')
  })

  it('an entry above the value that its owner lets pass without a person is held in an attempt too, which sends nothing', async () => {
    // Its limits are known to this process from an entry before.
    await activities.attemptEntry(termsOf(await accepted({ symbol: 'FIRST', quantity: '1' })))
    const before = broker.submissions.length
    const { check, submission } = await activities.attemptEntry(termsOf(await accepted()))
    assert.ok(check.completed)
    assert.equal(check.result.outcome, 'held')
    assert.equal(submission, null)
    assert.equal(broker.submissions.length, before)
  })

  for (const [title, limits, fields, outcome] of [
    ['worth as much as the limit', { approvalAboveValue: '1500' }, {}, 'ready'],
    ['of any value, where every one waits', { approvalAboveValue: '0' }, { quantity: '0.01' }, 'held'],
    ['for an amount of dollars', {}, { quantityType: 'dollarAmount', quantity: '1200' }, 'held'],
    ['of a scheduled signal whose time has come', {}, { executeMode: 'scheduled', status: 'queued' }, 'held'],
    ['above what may be ordered at all', { approvalAboveValue: '1000', maxOrderValue: '1400' }, {}, 'denied'],
  ] as const)
    it(`${title}: ${outcome}`, async () => {
      await setLimits({ approvalAboveValue: '1000', ...limits })
      assert.equal((await prepare(await accepted(fields))).outcome, outcome)
    })

  it('an entry above the value that its owner lets pass without a person of a position that is closed: never held', async () => {
    broker.positions = [held('10', 'LONG')]
    assert.equal((await prepare(await accepted({ action: 'closeLong' }))).outcome, 'ready')
  })
})
