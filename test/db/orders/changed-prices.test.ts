import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { applyOrderReport, recordedOrder } from '#db/orders/reports.ts'
import { recordAccepted } from '#db/signals/ledger.ts'
import { recordFills } from '#db/trades/fills.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill, second } from '#test/support/fills.ts'
import { orderIn } from '#test/support/ledger.ts'
import { useDatabase } from '#test/support/database.ts'

/** The order of an exit plan, of a target and a stop, whose stop is moved. */
describe('an oco in the ledger', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  let signal: Signal
  let first: OrderReport
  beforeEach(async () => {
    signal = await createSignal(em)
    await recordAccepted(em, signal.accountId, withFill(orderReport(signal), '10'))
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

  it('an oco in the ledger is told of in the timeline when somebody else has changed it, and not when we have', async () => {
    await apply({ ...moved(97), changedBy: 'us' })
    await apply({ ...moved(98), changedBy: 'others' })
    const told = await em.execute<{ message: string }[]>(
      `select message from signal_events where signal_id = ? and kind = 'order_changed_by_broker'`,
      [signal.id],
    )
    assert.deepEqual(
      told.map(({ message }) => message),
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
