import assert from 'node:assert/strict'
import { adjustProtection } from '#activities/exit/adjust.ts'
import { moveStop } from '#activities/exit/move-stop.ts'
import { BrokerBusy, type Broker, type OrderChange, type Permit } from '#brokers/port.ts'
import type { LookAtExitInput } from '#activities/contract.ts'
import { lookAtExit } from '#activities/exit/look.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { recordProtectionChanged } from '#db/exit/protection-change.ts'
import { noteCrossed, noteResting, readProtection } from '#db/exit/protections.ts'
import { readSignalRecord } from '#db/signal/record.ts'
import { LEAVES_WITHIN } from '#domain/order/entry-order.ts'
import { afterLevelsChanged, exitBegins, type ExitOrder, type ExitProgress } from '#domain/exit/progress.ts'
import { EXIT_AT_MARKET } from '#domain/exit/exit.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import type { ExitChange } from '#domain/exit/protection-check.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import type { Protection, RestingOrder } from '#domain/exit/protection.ts'
import { held } from '#test/support/sample-position.ts'
import { changeTo } from '#test/support/sample-signal.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { MOST_MOVES } from '#domain/exit/protection-watch.ts'
import { executionTime } from '#test/support/activity-desk.ts'
import { aFill } from '#test/support/fills.ts'
import { recordFills } from '#db/position/fills.ts'
import { setHalt } from '#db/risk/halts.ts'
import { letPass } from '#test/support/let-pass.ts'

const STOP: Protection = {
  stop: { percent: '5' },
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
}
const AT = '2026-03-02T15:00:00.000Z'

describe('the order of an exit by levels, by the ledger', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let signal: Signal
  let broker: ScriptedBroker
  beforeEach(async () => {
    signal = await createSignal(em, { protection: STOP, exitRule: null })
    broker = new ScriptedBroker()
    await recordAccepted(em, { ...withFill(orderReport(signal), '10'), status: 'FILLED' })
  })
  const deps = () => ({
    em,
    brokerFor: async () => broker,
    abilitiesOf: async () => ({ oco: true, trailing: true }),
  })
  const look = async (exit: Partial<ExitProgress> = {}, asked: Partial<LookAtExitInput> = {}) => {
    const { id: signalId, accountId, symbol } = signal
    return lookAtExit(deps(), {
      signalId,
      accountId,
      symbol,
      acknowledges: [],
      now: AT,
      exit: { ...exitBegins(), ...exit },
      asked: { exit: null, protection: STOP },
      filled: '10',
      fillsAtOnce: false,
      ...asked,
    })
  }
  /** The order that is desired, and null where another answer is given. */
  const desired = async (exit: Partial<ExitProgress> = {}, asked: Partial<LookAtExitInput> = {}) => {
    const { desired } = await look(exit, asked)
    return desired.what === 'order' ? desired.terms : null
  }
  const planId = () => clientOrderIdFor(signal.id, 'plan', 1)
  const working = (): { workingOrder: ExitOrder } => ({
    workingOrder: {
      clientOrderId: planId(),
      quantity: '10',
      coversUpTo: '10',
      reason: 'PROTECTION',
      filledThen: '10',
      since: AT,
    },
  })
  /** The order of the plan is placed as it is wanted. */
  async function place(quantity: Decimal = '10'): Promise<void> {
    const order = (await desired()) as RestingOrder
    const { orderType, limitPrice, stopPrice, timeInForce } = order
    const shape = { role: 'exit', quantity, orderType, limitPrice, stopPrice, timeInForce } as const
    const report = broker.accept({ ...orderReport(signal, shape), clientOrderId: planId() })
    await applyOrderReport(em, signal.accountId, report)
    await noteResting(em, signal.id, order, (await readProtection(em, signal.id))!.revision)
  }
  const adjust = (isPart = false, given: Partial<Parameters<typeof adjustProtection>[0]> = {}) => {
    const { id: signalId, accountId, symbol } = signal
    return adjustProtection(
      { ...deps(), ...given },
      {
        signalId,
        accountId,
        symbol,
        clientOrderId: planId(),
        quantity: '10',
        isPart,
      },
    )
  }
  let changes = 0
  const changed = (change: ExitChange, at = addMinutes(AT, (changes += 1))) =>
    recordProtectionChanged(em, { signalId: signal.id, at, by: 'ann@example.test', change })
  const change = (plan: Protection | null, at?: string) => changed(changeTo(plan), at)
  const crossed = (level: 'stop' | 'target', price: '94' | '111') => ({ level, at: price, price, seenAt: AT })

  it('follows from the average fill of the entry, with a target as one order, and is noted as gone before it is placed again', async () => {
    assert.deepEqual(await desired(), {
      orderType: 'stop',
      limitPrice: null,
      stopPrice: '95',
      timeInForce: 'gtc',
    })
    await place()
    await change({ ...STOP, target: { price: '110' } })
    const order = await desired()
    assert.deepEqual([order?.orderType, order?.limitPrice, order?.stopPrice], ['oco', '110', '95'])
    assert.equal((await readProtection(em, signal.id))?.resting, null)
    assert.equal((await desired({ reached: 'TAKE_PROFIT' }))?.limitPrice, '110')
    assert.deepEqual(await desired({ reached: 'STOP_LOSS' }), EXIT_AT_MARKET)
  })

  it('the order of an exit by levels is for the shares that are left by the executions, with a part that is good for the day', async () => {
    const { accountId, userId } = signal
    const sold = aFill({ side: 'SELL', quantity: '0.5', at: executionTime() })
    await recordFills(em, { accountId, userId }, { fills: [sold], fees: [], until: null })
    assert.equal((await desired())?.timeInForce, 'day')
  })

  it('the order of an exit by levels is changed where it lies when only its price is another one, which is reported once', async () => {
    await place()
    assert.equal(await adjust(), 'same')
    for (let tries = 1; tries <= 2; tries += 1) await change({ ...STOP, stop: { price: '97' } }, AT)
    assert.equal(await adjust(), 'changed')
    assert.equal(broker.accepted.get(planId())?.report.stopPrice, '97')
    assert.equal((await readProtection(em, signal.id))?.resting?.stopPrice, '97')
    const told = await em.execute<{ message: string }[]>(
      `select message from signal_events where signal_id = ? and kind = 'protection_changed'`,
      [signal.id],
    )
    assert.deepEqual(
      told.map(({ message }) => message),
      ['ann@example.test changed the stop and target: stop at 97'],
    )
  })

  it('the order of an exit by levels has another one take its place for another kind of order, and for shares that are free by now', async () => {
    await place('6')
    broker.positions = [held('14', 'LONG', { availableQuantity: '8' })]
    assert.equal(await adjust(true), 'other')
    broker.positions = [held('14', 'LONG', { availableQuantity: '0' })]
    assert.equal(await adjust(true), 'same')
    await change({ ...STOP, target: { price: '110' } })
    assert.equal(await adjust(), 'other')
  })

  it('the order of an exit by levels stays where the shares that are free are those of others', async () => {
    await place()
    broker.positions = [held('14', 'LONG', { availableQuantity: '4' })]
    assert.equal(await adjust(true), 'same')
  })

  it('the order of an exit by levels lies where the broker says, and goes back from there only where the levels were changed', async () => {
    await place()
    const { brokerOrderId } = broker.accepted.get(planId())!.report
    await broker.changeOrder(brokerOrderId, { stopPrice: '97' })
    await applyOrderReport(em, signal.accountId, broker.accepted.get(planId())!.report)
    const tracked = (await readProtection(em, signal.id))!
    assert.deepEqual([tracked.resting?.stopPrice, tracked.noted?.stopPrice], ['97', '95'])
    const asked = broker.requests.get('changeOrder')
    assert.equal(await moveStop(em, broker, tracked, '96'), 'same')
    assert.equal(await adjust(), 'same')
    assert.equal(broker.requests.get('changeOrder'), asked)
    await changed({ until: 'closed' })
    assert.equal(await adjust(), 'changed')
    assert.equal(broker.accepted.get(planId())?.report.stopPrice, '95')
  })

  it('a stop is brought to levels that were changed by the next asker, also farther from the price, and once', async () => {
    await place()
    const asked = broker.requests.get('changeOrder') ?? 0
    for (const stop of ['90', '97'] as const) {
      await change({ ...STOP, stop: { price: stop } })
      const changeOrder = broker.changeOrder.bind(broker)
      broker.changeOrder = () => Promise.reject(new BrokerBusy('too many requests', 0))
      await assert.rejects(adjust())
      broker.changeOrder = changeOrder
      assert.deepEqual([await adjust(), await adjust()], ['changed', 'same'])
      assert.equal(broker.accepted.get(planId())?.report.stopPrice, stop)
    }
    await changed({ stop: { price: '97', limitOffset: '0' } })
    await changed({ stop: { price: '97' } })
    assert.equal(await adjust(), 'same')
    const { revision, restingRevision } = (await readProtection(em, signal.id))!
    assert.deepEqual([revision, restingRevision], [4, 4])
    assert.equal(broker.requests.get('changeOrder'), asked + 2)
  })

  /** A process that stands still at a moment of its change; meanwhile its owner changes the plan. */
  const standingStill = (
    where: 'before its permit' | 'with its permit',
    stop: Decimal,
    milliseconds = 1_000,
  ) => {
    let now = 0
    const stand = async () => {
      if (now > 0) return
      now += milliseconds
      await change({ ...STOP, stop: { price: stop } })
      assert.equal(await adjust(), 'changed')
    }
    const real = broker
    const changeOrder = async (id: string, to: OrderChange, permit: Permit) => {
      if (where === 'before its permit') await stand()
      return real.changeOrder(id, to, async () => {
        const leave = await permit()
        if (where === 'with its permit') await stand()
        return leave
      })
    }
    const standing = { changeOrder, getOrder: (id: string) => real.getOrder(id) }
    return { standing, given: { brokerFor: async () => standing as Broker, now: () => now } }
  }
  for (const where of ['before its permit', 'with its permit'] as const)
    for (const [what, from, then] of [
      ['change', '90', '97'],
      ['change', '97', '90'],
      ['move', '96', '97'],
      ['move', '96', '90'],
    ] as const)
      it(`a ${what} of a stop to ${from} that froze ${where} does not take one to ${then} back`, async () => {
        await place()
        if (what === 'change') await change({ ...STOP, stop: { price: from } })
        const before = (await readProtection(em, signal.id))!
        const { standing, given } = standingStill(where, then)
        await (what === 'move' ? moveStop(em, standing, before, from) : adjust(false, given))
        const { resting, noted, revision, restingRevision } = (await readProtection(em, signal.id))!
        // One that left is followed by another one, which brings it back.
        assert.equal(broker.requests.get('changeOrder'), where === 'before its permit' ? 1 : 3)
        assert.equal(broker.accepted.get(planId())?.report.stopPrice, then)
        assert.deepEqual([resting?.stopPrice, noted?.stopPrice, restingRevision], [then, then, revision])
      })

  it('a change of a stop that froze for longer than its permit is good for does not leave', async () => {
    await place()
    await change({ ...STOP, stop: { price: '90' } })
    const { given } = standingStill('with its permit', '97', LEAVES_WITHIN + 1)
    await assert.rejects(adjust(false, given), /not changed/)
    assert.equal(broker.accepted.get(planId())?.report.stopPrice, '97')
  })

  it('the order of an exit by levels has another one take its place once it was moved as often as it may be', async () => {
    await place()
    const { brokerOrderId } = broker.accepted.get(planId())!.report
    const move = async (stopPrice: Decimal) => {
      await broker.changeOrder(brokerOrderId, { stopPrice })
      await applyOrderReport(em, signal.accountId, broker.accepted.get(planId())!.report)
    }
    for (let moves = 1; moves < MOST_MOVES; moves += 1) await move(`${95 + moves / 100}`)
    assert.equal(await adjust(), 'same')
    await move('97')
    assert.equal(await adjust(), 'other')
  })

  it('the order of an exit by levels is overdue by the end of the entry until it is at the broker', async () => {
    const entry = orderReport(signal).clientOrderId
    const acknowledges = [{ clientOrderId: entry, filledQuantity: '10' as const }]
    const due = () =>
      em.execute(`select from due_work where what = 'order_end' and signal_id = ?`, [signal.id])
    await look({}, { acknowledges })
    assert.equal((await due()).length, 1)
    await place()
    await look(working(), { acknowledges })
    assert.deepEqual(await due(), [])
  })

  const stopAll = () =>
    setHalt(
      em,
      { scope: 'account', userId: signal.userId, accountId: signal.accountId },
      { level: 'fullStop', reason: null, by: 'ann' },
    )
  const endPlans = (status: 'REJECTED' | 'CANCELLED') =>
    applyOrderReport(em, signal.accountId, { ...broker.accepted.get(planId())!.report, status, endedAt: AT })

  /** Where the order of a stop at 95 is at the broker, and the price has crossed a level. */
  const CROSSINGS: Record<
    string,
    { level: 'stop' | 'target'; act?: () => unknown; isGone?: true; counts: boolean; isKept: boolean }
  > = {
    'a stop does not count where its order acts upon it': { level: 'stop', counts: false, isKept: false },
    'a stop counts once its order has ended, also where that was not heard': {
      level: 'stop',
      act: () => endPlans('REJECTED'),
      counts: true,
      isKept: true,
    },
    'a stop counts without an order': {
      level: 'stop',
      act: () => endPlans('CANCELLED'),
      isGone: true,
      counts: true,
      isKept: true,
    },
    'a stop counts while all trading is stopped': {
      level: 'stop',
      act: async () => {
        await endPlans('REJECTED')
        await stopAll()
      },
      counts: true,
      isKept: true,
    },
    'a target counts where its order does not keep it': {
      level: 'target',
      act: () => changed({ target: { price: '110' } }),
      counts: true,
      isKept: true,
    },
    'a target that is none any more does not count, and is forgotten': {
      level: 'target',
      counts: false,
      isKept: false,
    },
    'a target counts once all trading is stopped no more': {
      level: 'target',
      act: async () => {
        await changed({ target: { price: '110' } })
        await stopAll()
      },
      counts: false,
      isKept: true,
    },
  }
  for (const [title, { level, act, isGone, counts, isKept }] of Object.entries(CROSSINGS))
    it(`a level of an exit: ${title}`, async () => {
      await place()
      await act?.()
      await noteCrossed(em, signal.id, crossed(level, level === 'stop' ? '94' : '111'))
      const reached = level === 'stop' ? 'STOP_LOSS' : 'TAKE_PROFIT'
      assert.equal((await look(isGone ? {} : working())).reached, counts ? reached : null)
      const noted = (await readProtection(em, signal.id))?.crossed
      assert.deepEqual(noted?.level, isKept ? level : undefined)
    })

  it('the order of an exit by levels is not the desired one once it is for more shares than its signal owns, as soon as the executions are surely known', async () => {
    await place()
    const { accountId, userId } = signal
    const sold = aFill({ side: 'SELL', quantity: '4', at: executionTime() })
    await recordFills(em, { accountId, userId }, { fills: [sold], fees: [], until: null })
    const early = await look(working())
    assert.deepEqual(
      [early.isServed, 'again' in early.desired && early.desired.again],
      [true, '2026-03-02T15:00:05.000Z'],
    )
    await letPass(em, 60_000)
    assert.equal((await look(working())).isServed, false)
  })

  it('the levels of an exit for a session are followed until its end, and its order to its own', async () => {
    await change({ ...STOP, until: 'session' })
    await place()
    const isFollowed = async () => (await readProtection(em, signal.id)) !== null
    const hasEnded = { sessionEndsAt: AT }
    assert.equal((await look({ ...hasEnded, ...working() })).isServed, true)
    assert.equal(await isFollowed(), true)
    const { desired } = await look(hasEnded)
    assert.deepEqual([desired, await isFollowed()], [{ what: 'none', why: 'over' }, false])
    await change(STOP)
    await look()
    assert.equal(await isFollowed(), true)
  })

  it('the order of an exit by levels waits for the average fill of its entry to be known, and is none without a fill', async () => {
    const unfilled = await createSignal(em, { protection: STOP, exitRule: null })
    const asked = { signalId: unfilled.id, asked: { exit: null, protection: STOP } }
    await assert.rejects(look({}, asked), /average price of the entry is not known/)
    assert.deepEqual((await look({}, { ...asked, filled: '0' })).desired, { what: 'none', why: 'closed' })
  })

  it('a change of the levels of an exit counts in the ledger as in the workflow, for every state of the exit', async () => {
    const wait = { why: 'refused', tries: 2, until: AT, detail: 'another try' } as const
    const states: Partial<ExitProgress>[] = [
      {},
      {
        reached: 'STOP_LOSS',
        sessionEndsAt: AT,
        levelsEndedBy: 'bob',
        levelsSince: '2026-03-01T15:00:00.000Z',
      },
      { waits: { TIME: wait } },
      {
        waits: { PROTECTION: wait, TAKE_PROFIT: wait, STOP_LOSS: wait, TIME: wait },
        reached: 'TAKE_PROFIT',
        wholeFirst: true,
      },
    ]
    for (const state of states)
      for (const plan of [STOP, null]) {
        const before = { ...exitBegins(3), ...state }
        await em.execute(
          `update signals set exit_progress = ?::jsonb, decisions = '{"chosenSize": {}, "x": 1}' where id = ?`,
          [JSON.stringify(before), signal.id],
        )
        const at = addMinutes(AT, (changes += 1))
        assert.ok('protection' in (await change(plan, at)))
        const [left] = await em.execute(`select exit_progress, decisions from signals where id = ?`, [
          signal.id,
        ])
        const exit_progress = afterLevelsChanged(before, { at, endedBy: null })
        assert.deepEqual(left, { exit_progress, decisions: { x: 1 } }, JSON.stringify(before))
        const { exitEndedBy } = await readSignalRecord(em, signal.id)
        assert.equal(exitEndedBy, plan === null ? 'ann@example.test' : null)
      }
  })
})
