import assert from 'node:assert/strict'
import type { PreparedEntry } from '#activities/contract.ts'
import type { Signal } from '#db/entities/index.ts'
import { readDecision } from '#db/order/decisions.ts'
import { liftHalt, raiseHalt } from '#db/risk/halts.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { recordTransmitted } from '#db/signal/ledger.ts'
import { recordDecisionLapsed } from '#db/signal/denied-approval.ts'
import { termsOf } from '#db/signal/terms.ts'
import { waitsOn } from '#domain/signal/approval.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { signalIn, timelineOf } from '#test/support/ledger.ts'
import { held } from '#test/support/sample-position.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const FIRST = '2026-03-02T15:00:02.000Z'
const SECOND = '2026-03-02T15:10:00.000Z'

describe('an approval whose order would be refused', () => {
  let { em, account, broker, activities, accepted, stuckAtBroker } = {} as ActivityDesk
  useDesk((desk) => {
    ;({ em, account, broker, activities, accepted, stuckAtBroker } = desk)
    broker.lastPrice = '150'
  })

  const waiting = (fields: Partial<Signal> = {}): Promise<Signal> =>
    accepted({
      executeMode: 'pending',
      status: 'pending',
      quantity: '10',
      orderType: 'limit',
      limitPrice: '151',
      ...fields,
    })
  const approve = (
    { id }: Signal,
    at: string,
    edits: { quantity?: Decimal; limitPrice?: Decimal } = {},
  ): Promise<void> =>
    recordDue(em, id, at, { by: 'ann', quantity: null, limitPrice: null, sendBefore: null, ...edits })
  const prepare = async ({ id }: Signal): Promise<PreparedEntry> =>
    activities.prepareEntry(termsOf(await signalIn(em, id)))
  const ofAccount = () => ({ scope: 'account', userId: account.userId, accountId: account.id }) as const
  const pause = () => raiseHalt(em, ofAccount(), { level: 'pauseEntries', reason: 'news', by: 'ann' })

  it('an approval whose order would be refused is not recorded: the signal is pending as it was sent, without a decider, and its timeline says why', async () => {
    const signal = await waiting()
    await approve(signal, FIRST, { quantity: '7', limitPrice: '400' })
    const decided = await prepare(signal)
    assert.equal(decided.outcome === 'held' && decided.refused?.code, 'PRICE_OUTSIDE_COLLAR')
    const { status, decidedBy, quantity, limitPrice, approvalRefused } = await signalIn(em, signal.id)
    assert.deepEqual([status, decidedBy, Number(quantity), Number(limitPrice)], ['pending', null, 10, 151])
    assert.deepEqual([approvalRefused?.code, approvalRefused?.count], ['PRICE_OUTSIDE_COLLAR', 1])
    const told = await timelineOf(em, signal.id)
    assert.deepEqual(
      told.slice(-2).map(({ kind }) => kind),
      ['due', 'approval_refused'],
    )
    assert.match(told.at(-1)!.message, /ann was not accepted, and it still waits: \$400 lies/)
  })

  it('an approval whose order would be refused is refused once, however often it is asked and after any change by then; the next one is decided again', async () => {
    const signal = await waiting()
    await pause()
    await approve(signal, FIRST)
    const refused = await prepare(signal)
    assert.equal(refused.outcome === 'held' && refused.refused?.code, 'TRADING_PAUSED')
    await liftHalt(em, ofAccount(), 'ann')
    assert.deepEqual(await prepare(signal), refused)
    await approve(signal, SECOND)
    assert.deepEqual(await prepare(signal), { outcome: 'ready', quantity: '10', advisories: [] })
    assert.equal((await signalIn(em, signal.id)).decidedBy, 'ann')
    const kinds = (await timelineOf(em, signal.id)).map(({ kind }) => kind)
    assert.deepEqual(kinds.slice(-3), ['due', 'approval_refused', 'due'])
  })

  it('an approval whose order would be refused stays refused where its record is written again by a process that froze', async () => {
    const signal = await waiting({ limitPrice: '400' })
    await approve(signal, FIRST)
    await prepare(signal)
    await assert.rejects(approve(signal, FIRST))
    assert.equal((await signalIn(em, signal.id)).status, 'pending')
  })

  it('an approval whose order would be refused does not take back the next one, by an attempt that was given up', async () => {
    const signal = await waiting({ limitPrice: '400' })
    await approve(signal, FIRST)
    const before = termsOf(await signalIn(em, signal.id))
    const { late, goOn } = await stuckAtBroker(() => prepare(signal))
    await prepare(signal)
    await approve(signal, SECOND)
    goOn()
    await assert.rejects(late)
    // Nor does it decide on it, with the edits of the approval before.
    await assert.rejects(activities.prepareEntry(before))
    assert.equal((await signalIn(em, signal.id)).status, 'queued')
    assert.equal(await readDecision(em, signal.id, 'entry'), null)
  })

  it('an approval whose order would be refused is not taken, too, where its order was thought to be sent, and was taken back', async () => {
    const signal = await waiting()
    await approve(signal, FIRST)
    await recordTransmitted(em, signal.id, FIRST, 'timeout')
    await pause()
    assert.equal((await prepare(signal)).outcome, 'held')
    assert.equal((await signalIn(em, signal.id)).status, 'pending')
  })

  it('an approval whose order would be refused does not decide on the next one of a close, by an attempt that was given up', async () => {
    broker.positions = [held('10', 'LONG')]
    const signal = await waiting({ action: 'closeLong', orderType: 'market', limitPrice: null })
    await approve(signal, FIRST)
    const { late, goOn } = await stuckAtBroker(() => prepare(signal))
    await recordDecisionLapsed(em, signal.id, SECOND, { detail: 'no answer', validUntil: null })
    await approve(signal, SECOND, { quantity: '4' })
    goOn()
    await assert.rejects(late)
    assert.equal(await readDecision(em, signal.id, 'entry'), null)
  })

  it('an approval whose order would be refused is not taken where the account cannot pay for a fixed quantity', async () => {
    broker.balances = { ...broker.balances, buyingPower: '100', nonMarginableBuyingPower: '100' }
    for (const order of [{}, { orderType: 'market', limitPrice: null }] as const) {
      const signal = await waiting(order)
      await approve(signal, FIRST)
      const decided = await prepare(signal)
      assert.equal(decided.outcome === 'held' && decided.refused?.code, 'INSUFFICIENT_FUNDS')
    }
  })

  it('an approval whose order would be refused ends the signal as ever for a reason that does not change', async () => {
    const signal = await waiting()
    await approve(signal, FIRST)
    await em.execute('update accounts set is_active = false where id = ?', [account.id], 'run')
    const decided = await prepare(signal)
    assert.deepEqual(
      [decided.outcome, decided.outcome === 'denied' && decided.code],
      ['denied', 'ACCOUNT_INACTIVE'],
    )
  })

  it('an approval whose order would be refused waits on for what can change, and for any answer about an order that was edited', () => {
    const asSent = { quantity: '10', limitPrice: null } as const
    assert.equal(waitsOn({ asSent }, asSent, 'PRICE_DRIFTED'), true)
    assert.equal(waitsOn({ asSent }, asSent, 'INVALID_ORDER'), false)
    assert.equal(waitsOn({ asSent }, { ...asSent, quantity: '0.5' }, 'INVALID_ORDER'), true)
  })
})
