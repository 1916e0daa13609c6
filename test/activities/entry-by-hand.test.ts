import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { PreparedEntry } from '#activities/contract.ts'
import { BrokerCredentialsError } from '#brokers/port.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { recordNotPlaced } from '#db/signal/ledger.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import { HALT_LEVELS } from '#domain/risk/halt.ts'
import type { ByHandChanges } from '#test/support/by-hand-terms.ts'
import { createAccount, createUser } from '#test/support/factories.ts'
import { orderIn, signalIn } from '#test/support/ledger.ts'
import { letPass } from '#test/support/let-pass.ts'
import { acceptanceOf, entryIdOf, store, termsOn } from '#test/support/placed-by-hand.ts'
import { held } from '#test/support/sample-position.ts'
import { filledNow, shownOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

describe('preparing an order by hand', () => {
  let { desk, em, account, broker, activities, placed, setLimits } = {} as ActivityDesk
  useDesk((opened) => ({ desk, em, account, broker, activities, placed, setLimits } = opened))

  const decide = async (changes: ByHandChanges = {}): Promise<PreparedEntry> =>
    activities.prepareEntry(await placed(changes))

  describe('decides by the position', () => {
    const cases: [position: ReturnType<typeof held>[], desired: ByHandChanges, outcome: string][] = [
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
    for (const [positions, desired, outcome] of cases) {
      const holding = positions[0] ? `${positions[0].side} ${positions[0].quantity}` : 'nothing'
      it(`${desired.side} 10${desired.reducesOnly ? ' to close' : ''} with ${holding} held: ${outcome}`, async () => {
        broker.positions = positions
        assert.equal(shownOf(await decide(desired)), outcome)
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

  describe('waits for no person', () => {
    const waiting = () => desk.accepted({ sourceId: randomUUID() })

    it('preparing an order by hand waits for no earlier signal of its symbol', async () => {
      await waiting()
      assert.equal(shownOf(await decide()), 'BUY 10')
    })

    it('preparing an order by hand keeps no later signal of its symbol waiting', async () => {
      await placed()
      assert.equal(shownOf(await desk.prepare(await waiting())), '10')
    })
  })

  describe('shows at once in the ledger', () => {
    const shown = async (terms: ByHandTerms) => {
      const { side, quantity } = await orderIn(em, entryIdOf(terms))
      return [(await signalIn(em, terms.signalId)).action, side, Number(quantity)]
    }

    it('preparing an order by hand shows at once in the ledger what it has decided', async () => {
      broker.positions = [held('4', 'LONG')]
      const terms = await placed({ side: 'SELL' })
      await activities.prepareEntry(terms)
      assert.deepEqual(await shown(terms), ['closeLong', 'SELL', 4])
    })

    for (const [late, early] of [
      [[], [held('4', 'LONG')]],
      [[held('4', 'LONG')], []],
    ])
      it(`the first of two decisions, where the later one has found ${late!.length} positions and the first one ${early!.length}`, async () => {
        broker.positions = late!
        const terms = await placed({ side: 'SELL' })
        // The answer of the broker is of the moment in which it goes on.
        const stuck = await desk.stuckAtBroker(() => activities.prepareEntry(terms))
        broker.positions = early!
        const first = shownOf(await activities.prepareEntry(terms))
        const before = await shown(terms)
        broker.positions = late!
        stuck.goOn()
        assert.equal(shownOf(await stuck.late), first)
        assert.deepEqual(await shown(terms), before)
        assert.equal(first, `${before[1]} ${before[2]}`)
      })

    it('preparing an order by hand shows at once in the ledger one decision of any number that are taken at once', async () => {
      const terms = await placed({ side: 'SELL' })
      let asked = 0
      broker.latency = () => {
        asked += 1
        broker.positions = asked % 2 === 0 ? [held('4', 'LONG')] : []
      }
      const found = await Promise.allSettled(Array.from({ length: 8 }, () => activities.prepareEntry(terms)))
      const decisions = new Set(
        found.flatMap((each) => (each.status === 'fulfilled' ? shownOf(each.value) : [])),
      )
      assert.equal(decisions.size, 1)
      const [, side, quantity] = await shown(terms)
      // A position that is gone by the time that the shares are counted leaves nothing to close.
      if (!decisions.has('NO_POSITION_TO_CLOSE')) assert.deepEqual([...decisions], [`${side} ${quantity}`])
    })
  })

  describe('closes the shares of', () => {
    const opened = async () => {
      const { id } = await desk.opened()
      await letPass(em, 60_000)
      return id
    }

    it('preparing an order by hand closes the shares of the signals that it names, and no others', async () => {
      const [a] = [await opened(), await opened()]
      broker.positions = [held('20', 'LONG')]
      const decision = await decide({ side: 'SELL', quantity: '15', reducesOnly: true, owners: [a] })
      assert.ok(decision.outcome === 'ready')
      assert.deepEqual([decision.quantity, decision.reservedLots], ['10', [{ owner: a, quantity: '10' }]])
    })

    it('preparing an order by hand closes the unowned shares where it names none: those come first that no signal has', async () => {
      const a = await opened()
      const bought = await placed()
      await activities.prepareEntry(bought)
      await applyOrderReport(em, account.id, filledNow(acceptanceOf(bought)))
      await letPass(em, 60_000)
      broker.positions = [held('20', 'LONG')]
      const { shares } = await readSymbolState(em, account.id, 'AAPL')
      assert.deepEqual([shares.of(a), shares.of(null)], ['10', '10'])
      const decision = await decide({ side: 'SELL', quantity: '15' })
      assert.ok(decision.outcome === 'ready')
      assert.deepEqual(decision.reservedLots, [
        { owner: null, quantity: '10' },
        { owner: a, quantity: '5' },
      ])
    })
  })

  it('gives the first answer again, after any change of the position', async () => {
    const terms = await placed({ side: 'SELL' })
    assert.equal(shownOf(await activities.prepareEntry(terms)), 'SELL_SHORT 10')
    broker.positions = [held('4', 'LONG')]
    assert.equal(shownOf(await activities.prepareEntry(terms)), 'SELL_SHORT 10')
  })

  it('preparing an order by hand of twenty that close one position at once lets through no more than is held, and has the others wait', async () => {
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
    await activities.prepareEntry(other)
    const asked = broker.requests.get('getPosition') ?? 0
    broker.latency = async () => {
      // The first question is which side it is, the second how many shares it closes.
      if ((broker.requests.get('getPosition') ?? 0) === asked) return
      broker.latency = () => {}
      await applyOrderReport(em, account.id, acceptanceOf(other))
    }
    assert.equal(shownOf(await decide({ side: 'SELL' })), 'SELL 6')
  })

  it('denies an order that is too old, and sends nothing any more', async () => {
    assert.equal(shownOf(await decide({ sendBefore: '2026-03-02T15:00:00.000Z' })), 'STALE')
  })

  it('says of an order that was cancelled first that it has ended', async () => {
    const terms = await placed()
    const cancel = { reason: 'WITHDRAWN', detail: 'Cancelled by bob' } as const
    await recordCancelled(em, terms.signalId, terms.acceptedAt, cancel)
    assert.deepEqual(await activities.prepareEntry(terms), {
      outcome: 'ended',
      status: 'cancelled',
      reason: 'WITHDRAWN',
      detail: 'Cancelled by bob',
    })
  })

  it('says of an order that passed the send gate and that its broker rejected that it has ended, and does not send it again', async () => {
    const terms = await placed()
    assert.equal(shownOf(await activities.prepareEntry(terms)), 'BUY 10')
    const end = { outcome: 'rejected', code: 'BROKER_ERROR', detail: 'refused' } as const
    await recordNotPlaced(em, terms.signalId, terms.acceptedAt, end)
    assert.deepEqual(await activities.prepareEntry(terms), {
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

  it('preparing an order by hand of a token it waits for no person, so above the approval limit it is denied; of a person it passes', async () => {
    await setLimits({ approvalAboveValue: '0' })
    assert.equal(shownOf(await decide()), 'BUY 10')
    assert.equal(
      shownOf(await activities.prepareEntry(await desk.placedBy(await desk.mint()))),
      'APPROVAL_REQUIRED',
    )
    broker.positions = [held('10', 'LONG')]
    const closing = await desk.placedBy(await desk.mint(), { side: 'SELL' })
    assert.equal(shownOf(await activities.prepareEntry(closing)), 'SELL 10')
  })

  it('suspects a repetition of an equal order, unless both carry a key', async () => {
    await setLimits({
      duplicateWindowSeconds: 60,
      duplicatePolicy: 'deny',
    })
    assert.equal(shownOf(await decide()), 'BUY 10')
    assert.equal(shownOf(await decide()), 'DUPLICATE_SUSPECTED')
    assert.equal(shownOf(await decide({ quantity: '11' })), 'BUY 11')
    for (const [quantity, keys, second] of [
      ['12', ['a key', 'another one'], 'BUY 12'],
      ['13', ['a third', null], 'DUPLICATE_SUSPECTED'],
    ] as const) {
      const found: string[] = []
      for (const key of keys) {
        const terms = termsOn(account, { quantity })
        await store(em, terms, key === null ? null : { key, hash: key })
        found.push(shownOf(await activities.prepareEntry(terms)))
      }
      assert.deepEqual(found, [`BUY ${quantity}`, second])
    }
    assert.equal(shownOf(await decide({ side: 'SELL', quantity: '12' })), 'SELL_SHORT 12')
  })

  describe('under a halt', () => {
    const expected = {
      pauseEntries: ['BUY 10', 'SELL 10'],
      reduceOnly: ['REDUCE_ONLY', 'SELL 10'],
      fullStop: ['TRADING_STOPPED', 'TRADING_STOPPED'],
    }
    for (const level of HALT_LEVELS)
      it(`preparing an order by hand under a halt at ${level} opens: ${expected[level][0]}, closes: ${expected[level][1]}`, async () => {
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
