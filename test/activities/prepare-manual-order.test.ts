import assert from 'node:assert/strict'
import type { EndedBefore } from '#activities/contract.ts'
import { BrokerCredentialsError } from '#brokers/port.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { recordCancelled } from '#db/signals/decision-ledger.ts'
import { recordNotPlaced } from '#db/signals/ledger.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import type { ManualOrderDecision, ManualOrderTerms } from '#domain/manual-order.ts'
import { HALT_LEVELS } from '#domain/halt.ts'
import { createAccount, createUser } from '#test/support/factories.ts'
import { acceptanceOf } from '#test/support/placed-order.ts'
import { held } from '#test/support/sample-position.ts'
import { shownOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

describe('preparing a manual order', () => {
  let { desk, em, account, broker, activities, placed, setLimits } = {} as ActivityDesk
  useDesk((opened) => ({ desk, em, account, broker, activities, placed, setLimits } = opened))

  const decide = async (
    changes: Partial<ManualOrderTerms> = {},
  ): Promise<ManualOrderDecision | EndedBefore> => activities.prepareManualOrder(await placed(changes))

  describe('decides by the position', () => {
    const cases: [position: ReturnType<typeof held>[], wish: Partial<ManualOrderTerms>, outcome: string][] = [
      [[], { side: 'BUY' }, 'BUY 10'],
      [[], { side: 'SELL' }, 'SELL_SHORT 10'],
      [[held('30', 'LONG')], { side: 'SELL' }, 'SELL 10'],
      [[held('30', 'LONG')], { side: 'BUY' }, 'BUY 10'],
      [[held('4', 'LONG')], { side: 'SELL' }, 'SELL 4'],
      [[held('30', 'SHORT')], { side: 'BUY' }, 'BUY_TO_COVER 10'],
      [[held('4', 'SHORT')], { side: 'BUY' }, 'BUY_TO_COVER 4'],
      [[held('4', 'SHORT')], { side: 'SELL' }, 'SELL_SHORT 10'],
      [[held('10', 'LONG', { availableQuantity: '3' })], { side: 'SELL' }, 'SELL 3'],
      [[held('10', 'LONG', { availableQuantity: '0' })], { side: 'SELL' }, 'POSITION_HELD'],
      [[], { side: 'SELL', reducesOnly: true }, 'NO_POSITION_TO_CLOSE'],
      [[held('4', 'SHORT')], { side: 'SELL', reducesOnly: true }, 'NO_POSITION_TO_CLOSE'],
    ]
    for (const [positions, wish, outcome] of cases) {
      const holding = positions[0] ? `${positions[0].side} ${positions[0].quantity}` : 'nothing'
      it(`${wish.side} 10${wish.reducesOnly ? ' to close' : ''} with ${holding} held: ${outcome}`, async () => {
        broker.positions = positions
        assert.equal(shownOf(await decide(wish)), outcome)
      })
    }
  })

  it('says so when it takes less than was asked for', async () => {
    broker.positions = [held('4', 'LONG')]
    const decision = await decide({ side: 'SELL' })
    assert.deepEqual(decision.outcome === 'ready' && decision.advisories.map(({ code }) => code), [
      'quantity_reduced_to_position',
    ])
  })

  it('gives the first answer again, whatever has become of the position', async () => {
    const terms = await placed({ side: 'SELL' })
    assert.equal(shownOf(await activities.prepareManualOrder(terms)), 'SELL_SHORT 10')
    broker.positions = [held('4', 'LONG')]
    assert.equal(shownOf(await activities.prepareManualOrder(terms)), 'SELL_SHORT 10')
  })

  it('preparing a manual order of twenty that close one position at once lets through no more than is held, and has the others wait', async () => {
    broker.positions = [held('10', 'LONG')]
    const decisions = await Promise.allSettled(
      Array.from({ length: 20 }, () => decide({ side: 'SELL', quantity: '4', reducesOnly: true })),
    )
    const sold = decisions.flatMap((each) => (each.status === 'fulfilled' ? shownOf(each.value) : []))
    assert.deepEqual(sold.toSorted(), ['SELL 2', 'SELL 4', 'SELL 4'])
    for (const each of decisions)
      if (each.status === 'rejected') assert.match(String(each.reason), /orders of ours close them: SELL/)
  })

  it('counts orders that the broker has accepted since it was asked', async () => {
    broker.positions = [held('10', 'LONG')]
    const other = await placed({ side: 'SELL', quantity: '4' })
    await activities.prepareManualOrder(other)
    broker.latency = async () => {
      broker.latency = () => {}
      await applyOrderReport(em, account.id, acceptanceOf(other))
    }
    assert.equal(shownOf(await decide({ side: 'SELL' })), 'SELL 6')
  })

  it('denies an order that is too old, and sends nothing any more', async () => {
    assert.equal(shownOf(await decide({ sendBefore: '2026-03-02T15:00:00.000Z' })), 'STALE')
  })

  it('tells of an order that was cancelled first that it has ended', async () => {
    const terms = await placed()
    const cancel = { reason: 'WITHDRAWN', detail: 'Cancelled by bob' } as const
    await recordCancelled(em, { orderId: terms.orderId }, terms.acceptedAt, cancel)
    assert.deepEqual(await activities.prepareManualOrder(terms), {
      outcome: 'ended',
      status: 'cancelled',
      reason: null,
      detail: 'Cancelled by bob',
    })
  })

  it('tells of an order that was let out and that its broker rejected that it has ended, and does not let it out again', async () => {
    const terms = await placed()
    assert.equal(shownOf(await activities.prepareManualOrder(terms)), 'BUY 10')
    const end = { outcome: 'rejected', code: 'BROKER_ERROR', detail: 'refused' } as const
    await recordNotPlaced(em, { orderId: terms.orderId }, terms.acceptedAt, end)
    assert.deepEqual(await activities.prepareManualOrder(terms), {
      outcome: 'ended',
      status: 'rejected',
      reason: 'BROKER_ERROR',
      detail: 'refused',
    })
  })

  it('denies it when the broker rejects the keys', async () => {
    broker.outage = new BrokerCredentialsError('the keys are not accepted')
    assert.equal(shownOf(await decide()), 'BROKER_CREDENTIALS_INVALID')
  })

  it('denies it when the mode has changed since it was placed', async () => {
    const { id: userId } = await createUser(em, { tradingMode: 'LIVE' })
    desk.account = await createAccount(em, { userId, isDemo: true })
    assert.equal(shownOf(await decide()), 'MODE_MISMATCH')
  })

  it('holds it to the limits of the account, without counting itself', async () => {
    await setLimits({ maxPositionShares: '15' })
    assert.equal(shownOf(await decide()), 'BUY 10')
    assert.equal(shownOf(await decide()), 'POSITION_TOO_LARGE')
  })

  it('preparing a manual order of a token it waits for nobody, so above the approval limit it is denied; of a person it passes', async () => {
    await setLimits({ approvalAboveValue: '0' })
    assert.equal(shownOf(await decide()), 'BUY 10')
    assert.equal(
      shownOf(await activities.prepareManualOrder(await desk.placedBy(await desk.mint()))),
      'APPROVAL_REQUIRED',
    )
    broker.positions = [held('10', 'LONG')]
    const closing = await desk.placedBy(await desk.mint(), { side: 'SELL' })
    assert.equal(shownOf(await activities.prepareManualOrder(closing)), 'SELL 10')
  })

  it('suspects a repetition of an equal order, unless both carry a key', async () => {
    await setLimits({
      duplicateWindowSeconds: 60,
      duplicatePolicy: 'deny',
    })
    assert.equal(shownOf(await decide()), 'BUY 10')
    assert.equal(shownOf(await decide()), 'DUPLICATE_SUSPECTED')
    assert.equal(shownOf(await decide({ quantity: '11' })), 'BUY 11')
  })

  describe('under a halt', () => {
    const expected = {
      pauseEntries: ['BUY 10', 'SELL 10'],
      reduceOnly: ['REDUCE_ONLY', 'SELL 10'],
      fullStop: ['TRADING_STOPPED', 'TRADING_STOPPED'],
    }
    for (const level of HALT_LEVELS)
      it(`preparing a manual order under a halt at ${level} opens: ${expected[level][0]}, closes: ${expected[level][1]}`, async () => {
        const target = { scope: 'account', userId: account.userId, accountId: account.id } as const
        await setHalt(em, target, { level, reason: 'drill', by: 'test' })
        const opening = shownOf(await decide())
        broker.positions = [held('10', 'LONG')]
        const closing = shownOf(await decide({ side: 'SELL' }))
        assert.deepEqual([opening, closing], expected[level])
        await liftHalt(em, target, 'test')
      })
  })
})
