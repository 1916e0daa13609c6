import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Signal } from '#db/entities/index.ts'
import { applyOrderReport, recordedOrder } from '#db/order/reports.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { amendFill } from '#db/position/fill-amendments.ts'
import { ordersBeyondLedger, recordFills } from '#db/position/fills.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order/order.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill, second, tradesIn } from '#test/support/fills.ts'
import { orderIn, signalIn, timelineOf } from '#test/support/ledger.ts'
import { useDatabase } from '#test/support/database.ts'

let em: EntityManager
useDatabase((database) => {
  em = database.em
})

describe('an order whose figures its broker changes in place, as after a split', () => {
  const split = { quantity: '100', limitPrice: '9', changedAt: '2026-03-02T16:00:00.000Z' } as const
  for (const role of ['entry', 'exit'] as const)
    it(`an order whose figures its broker changes in place is reported once and taken over, as ${role}`, async () => {
      const signal = await createSignal(em)
      const first = orderReport(signal, {
        role,
        orderType: 'limit',
        limitPrice: '90',
        changedAt: '2026-03-02T15:00:00.000Z',
      })
      await recordAccepted(em, first)
      const apply = (report: OrderReport) => applyOrderReport(em, signal.accountId, report)
      await apply(first)
      assert.equal(await em.fork().count(Alert, { signalId: signal.id }), 0)
      await apply({ ...first, ...split })
      await apply({ ...first, ...split })
      await apply(first)
      const { quantity, limitPrice } = await orderIn(em, first.clientOrderId)
      assert.deepEqual([Number(quantity), Number(limitPrice)], [100, 9])
      const words = /not from here: quantity 100 where 10 was, limit 9 where 90 was$/
      const told = (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'order_changed_by_broker')
      const alerts = await em.fork().find(Alert, { signalId: signal.id })
      assert.deepEqual([told.length, alerts.map(({ kind }) => kind)], [1, ['order_changed_by_broker']])
      for (const { message } of [...told, ...alerts]) assert.match(message, words)
      await apply(withFill({ ...first, ...split }, '40'))
      assert.equal((await orderIn(em, first.clientOrderId)).status, 'PARTIALLY_FILLED')
    })

  it('an order whose figures its broker changes in place, and finer than the ledger keeps, is read to the end', async () => {
    const signal = await createSignal(em)
    const first = orderReport(signal, { orderType: 'limit', limitPrice: '90' })
    await recordAccepted(em, first)
    await applyOrderReport(em, signal.accountId, { ...first, limitPrice: '9.0000000001' })
    assert.equal(Number((await orderIn(em, first.clientOrderId)).limitPrice), 9)
  })
})

/** A person raises the limit of an order of ten in the broker's own app, after four have filled. */
describe('an order that a person replaced at the broker', () => {
  let signal: Signal
  let first: OrderReport
  beforeEach(async () => {
    signal = await createSignal(em)
    first = orderReport(signal)
  })

  const NEW = 'made-by-the-broker'
  const old = (): string => first.brokerOrderId
  const account = () => ({ accountId: signal.accountId, userId: signal.userId })
  const apply = (report: OrderReport) => applyOrderReport(em, signal.accountId, report)
  const list = (fills: Execution[]) => recordFills(em, account(), { fills, fees: [], until: null })
  const filled = async () => Number((await signalIn(em, signal.id)).filledQuantity)

  /** The replacing order, filled, of which the broker says that so much is. */
  const replacement = (told: Decimal, status: OrderReport['status'] = 'FILLED'): OrderReport => ({
    ...withFill({ ...first, quantity: told }, told),
    status,
    brokerOrderId: NEW,
    links: [
      { brokerOrderId: old(), filledQuantity: '4' },
      { brokerOrderId: NEW, filledQuantity: told },
    ],
  })
  const executions = (second_: Decimal): Execution[] => [
    aFill({ brokerOrderId: old(), quantity: '4', orderFilled: '4', at: second(1) }),
    aFill({ brokerOrderId: NEW, quantity: second_, orderFilled: second_, at: second(2), price: '101' }),
  ]

  const FORMS = [
    ['for the rest', '6', '6', 10],
    ['for all ten again', '10', '10', 14],
    ['that counts the four as its own', '10', '6', 10],
  ] as const

  for (const [form, told, executed, total] of FORMS) {
    const steps = () => ({
      accepted: () => recordAccepted(em, first),
      partly: () => apply(withFill(first, '4')),
      replaced: () => apply(replacement(told)),
      listed: () => list(executions(executed)),
      // The feed asks for an order with more executions than the ledger knows.
      asked: () => apply(replacement(told)),
    })
    const ORDERS: (keyof ReturnType<typeof steps>)[][] = [
      ['accepted', 'partly', 'replaced', 'listed', 'asked'],
      ['accepted', 'partly', 'listed', 'replaced'],
      ['accepted', 'listed', 'replaced', 'partly'],
      ['listed', 'accepted', 'partly', 'replaced', 'partly'],
      ['replaced', 'listed', 'asked', 'accepted'],
      ['listed', 'replaced', 'accepted'],
    ]
    for (const order of ORDERS)
      it(`an order that a person replaced at the broker by one ${form} has filled ${total}, in the order ${order.join(', ')}`, async () => {
        const play = steps()
        for (const step of order) await play[step]()
        assert.equal(await filled(), total)
        const { status, filledQuantity, quantity } = await orderIn(em, first.clientOrderId)
        assert.deepEqual([status, Number(filledQuantity), Number(quantity)], ['FILLED', total, total])
        const { shares, unattributed } = await readSymbolState(em, signal.accountId, signal.symbol)
        assert.deepEqual([shares.of(signal.id), unattributed], [String(total), []])
      })
  }

  it('an order that a person replaced at the broker has one trade, which belongs to its signal', async () => {
    await recordAccepted(em, first)
    await list(executions('6'))
    await apply(replacement('6'))
    // The executions find their order with the next list.
    await list([])
    assert.deepEqual(await tradesIn(em, signal.accountId), ['OPEN LONG 10 AAPL 100.6> fees 0 pnl '])
    const rows = await em.execute('select from trades where signal_id = ?', [signal.id])
    assert.equal(rows.length, 1)
  })

  it('an order that a person replaced at the broker is named while its executions say more than the ledger, and not afterwards', async () => {
    const beyond = () => ordersBeyondLedger(em, account(), second(0))
    await recordAccepted(em, first)
    await apply(replacement('6'))
    await list(executions('6'))
    assert.deepEqual((await beyond()).toSorted(), [NEW, old()].toSorted())
    await apply(replacement('6'))
    assert.deepEqual(await beyond(), [])
  })

  it('an order that a person replaced at the broker whose end was acknowledged at less must be acknowledged again', async () => {
    await recordAccepted(em, first)
    await apply(replacement('6'))
    await em.execute('update orders set end_acknowledged_at = now() where signal_id = ?', [signal.id])
    await list(executions('6'))
    const applied = await apply(replacement('6'))
    assert.deepEqual([applied?.acknowledged, applied?.report.filledQuantity], [false, '10'])
  })

  it('twice has filled what all three have executed', async () => {
    await recordAccepted(em, first)
    const third = { brokerOrderId: 'third', filledQuantity: '3' } as const
    const report = replacement('3')
    const last = { ...report, brokerOrderId: 'third', links: [...report.links!, third] }
    await list([
      ...executions('3'),
      aFill({ brokerOrderId: 'third', quantity: '3', orderFilled: '3', at: second(3) }),
    ])
    await apply(last)
    assert.equal(await filled(), 10)
  })

  it('works on for what the replacing order has open', async () => {
    await recordAccepted(em, first)
    await list(executions('2'))
    await apply({
      ...replacement('4', 'PARTIALLY_FILLED'),
      quantity: '12',
      links: [
        { brokerOrderId: old(), filledQuantity: '4' },
        { brokerOrderId: NEW, filledQuantity: '2' },
      ],
    })
    const { status, filledQuantity, quantity } = await orderIn(em, first.clientOrderId)
    assert.deepEqual([status, Number(filledQuantity), Number(quantity)], ['PARTIALLY_FILLED', 6, 14])
    const { live } = await readSymbolState(em, signal.accountId, signal.symbol)
    assert.equal(live.map(({ open }) => open).join(), '8')
  })

  it('an order that a person replaced at the broker and that loses an execution has filled the rest of its executions', async () => {
    await recordAccepted(em, first)
    const [before, busted] = executions('6')
    const kept = aFill({ brokerOrderId: NEW, quantity: '1', orderFilled: '7', at: second(3) })
    await list([before!, busted!, kept])
    await apply(replacement('7'))
    assert.equal(await filled(), 11)
    await amendFill(em, account(), replacement('1'), { executionId: busted!.executionId, corrected: null })
    assert.equal(await filled(), 5)
  })

  it('takes the shares that were set apart for it in one go, of whichever link the executions are', async () => {
    const [one, other] = [signal, await createSignal(em, { accountId: signal.accountId })]
    for (const holder of [one, other]) await recordAccepted(em, withFill(orderReport(holder), '10'))
    const close = await createSignal(em, { accountId: signal.accountId, action: 'closeLong' })
    const reservedLots = [
      { owner: other.id, quantity: '4' },
      { owner: one.id, quantity: '6' },
    ]
    await decideOnce(em, close.id, 'entry', { outcome: 'ready', quantity: '10', reservedLots })
    first = orderReport(close, { side: 'SELL' })
    await recordAccepted(em, first)
    const late = new Date(Date.now() + 1_000).toISOString().replace('Z', '000Z')
    await list(
      executions('6').map((fill, index) => ({
        ...fill,
        side: 'SELL' as const,
        at: index === 0 ? late : late.replace('000Z', '001Z'),
      })),
    )
    await apply(replacement('6'))
    const { shares } = await readSymbolState(em, signal.accountId, signal.symbol)
    assert.deepEqual([shares.of(one.id), shares.of(other.id)], ['4', '6'])
  })

  it('keeps every id that it has had, each of one order', async () => {
    await recordAccepted(em, first)
    await apply(replacement('6'))
    await apply(replacement('6'))
    const rows = await em.execute<{ id: string }[]>(
      `select b.broker_order_id as id from order_broker_ids b join orders o on o.id = b.order_id
       where o.client_order_id = ? and b.user_id = ?`,
      [first.clientOrderId, signal.userId],
    )
    assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set([NEW, old()]))
    assert.equal(rows.length, 2)
  })
})

/** The order of an exit plan, of a target and a stop, whose stop is moved. */
describe('an oco in the ledger', () => {
  let signal: Signal
  let first: OrderReport
  beforeEach(async () => {
    signal = await createSignal(em)
    await recordAccepted(em, withFill(orderReport(signal), '10'))
    const clientOrderId = clientOrderIdFor(signal.id, 'plan', 1)
    const id = `broker-${clientOrderId}`
    first = orderReport(signal, {
      clientOrderId,
      brokerOrderId: id,
      side: 'SELL',
      orderType: 'oco',
      limitPrice: '110',
      stopPrice: '95',
      stopLimitPrice: '94',
      changedAt: '2026-03-02T15:00:00.000Z',
      links: [
        { brokerOrderId: id, filledQuantity: '0' },
        { brokerOrderId: `${id}-stop`, filledQuantity: '0' },
      ],
    })
    await apply(first)
  })

  const apply = (report: OrderReport) => applyOrderReport(em, signal.accountId, report)
  const stop = () => first.links![1]!.brokerOrderId
  const moved = (to: number): OrderReport => ({
    ...first,
    stopPrice: `${to}`,
    changedAt: new Date(Date.parse(first.changedAt!) + to * 1_000).toISOString(),
    links: [...first.links!, { brokerOrderId: `${stop()}-${to}`, filledQuantity: '0' }],
  })
  const list = (...fills: [brokerOrderId: string, quantity: `${number}`][]) =>
    recordFills(em, signal, {
      fills: fills.map(([brokerOrderId, quantity], index) =>
        aFill({ brokerOrderId, side: 'SELL', quantity, orderFilled: quantity, at: second(index + 1) }),
      ),
      fees: [],
      until: null,
    })
  const known = async () => {
    const { report } = (await recordedOrder(em, signal.accountId, first.clientOrderId))!
    return [report.status, report.filledQuantity, report.quantity]
  }

  it('an oco in the ledger has both its stop prices, and those of its last change', async () => {
    const { stopLimitPrice } = (await recordedOrder(em, signal.accountId, first.clientOrderId))!.report
    assert.equal(stopLimitPrice, '94')
    for (const report of [moved(97), moved(99), moved(98), first]) await apply(report)
    assert.equal(Number((await orderIn(em, first.clientOrderId)).stopPrice), 99)
  })

  it('an oco in the ledger is noted in the timeline when another actor has changed it, and not when we have', async () => {
    await apply({ ...moved(97), changedBy: 'us' })
    await apply({ ...moved(98), changedBy: 'others' })
    const told = await timelineOf(em, signal.id)
    const changes = told.filter(({ kind }) => kind === 'order_changed_by_broker')
    assert.deepEqual(
      changes.map(({ message }) => message),
      ['The order was changed at the broker, and not from here: stop 98 where 97 was'],
    )
  })

  it('an oco in the ledger has filled what both its parts have, and is for no more', async () => {
    await apply(moved(97))
    await list([first.brokerOrderId, '4'], [`${stop()}-97`, '6'])
    await apply({ ...moved(97), ...pick(withFill(first, '4')), status: 'PARTIALLY_FILLED' })
    assert.deepEqual(await known(), ['FILLED', '10', '10'])
  })

  it('an oco in the ledger works on for the rest of its shares when one part has filled some', async () => {
    await list([first.brokerOrderId, '4'])
    await apply({
      ...first,
      ...pick(withFill(first, '4')),
      status: 'PARTIALLY_FILLED',
      links: [{ brokerOrderId: first.brokerOrderId, filledQuantity: '4' }, first.links![1]!],
    })
    assert.deepEqual(await known(), ['PARTIALLY_FILLED', '4', '10'])
  })
})

const pick = ({ filledQuantity, avgFillPrice, filledAt }: OrderReport) => ({
  filledQuantity,
  avgFillPrice,
  filledAt,
})
