import assert from 'node:assert/strict'
import { moveStop } from '#activities/exit/move-stop.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import {
  endProtection,
  forgetCrossed,
  listProtections,
  noteCrossed,
  noteFees,
  noteResting,
  noteSeen,
  protectionsOf,
  readProtection,
  trackFilling,
} from '#db/exit/protections.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order/order.ts'
import type { Protection, RestingOrder } from '#domain/exit/protection.ts'
import { createSignal, createTrade, orderReport, withFill } from '#test/support/factories.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'

const PLAN: Protection = {
  stop: { percent: '5' },
  target: null,
  trail: { percent: '4' },
  breakEven: { percent: '2' },
  until: 'closed',
}
const RESTING: RestingOrder = { orderType: 'stop', limitPrice: null, stopPrice: '96', timeInForce: 'gtc' }

describe('positions with levels in the ledger', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let signal: Signal
  let broker: ScriptedBroker
  beforeEach(async () => {
    signal = await createSignal(em, { protection: PLAN })
    broker = new ScriptedBroker()
    await recordAccepted(em, withFill(orderReport(signal), '4'))
    await trackFilling(em, signal.accountId)
  })
  const read = async () => (await readProtection(em, signal.id))!
  const entryFills = async (): Promise<void> => {
    await applyOrderReport(em, signal.accountId, { ...withFill(orderReport(signal), '10'), status: 'FILLED' })
  }
  /** The order of the plan lies at the broker. */
  const placePlan = async (): Promise<OrderReport> => {
    await entryFills()
    const report = broker.accept({
      ...orderReport(signal, { role: 'exit', quantity: '10', orderType: 'stop', stopPrice: '96' }),
      clientOrderId: clientOrderIdFor(signal.id, 'plan', 1),
    })
    await applyOrderReport(em, signal.accountId, report)
    await noteResting(em, signal.id, RESTING, 0)
    return report
  }

  it('positions with levels are followed from the first fill of an entry that works on, and known with what lies at the broker', async () => {
    const { protection, position, best, quantity, entryWorks, exit } = await read()
    assert.deepEqual([protection, exit, entryWorks, best, quantity], [PLAN, null, true, '100', '4'])
    assert.deepEqual(position, { side: 'LONG', average: '100', fees: '0' })
    const { clientOrderId, brokerOrderId } = await placePlan()
    const [listed] = await listProtections(em, signal.accountId)
    assert.equal(listed!.entryWorks, false)
    const { orderId: _, ...placed } = listed!.exit!
    assert.deepEqual(placed, {
      clientOrderId,
      brokerOrderId,
      purpose: 'plan',
      orderType: 'stop',
      timeInForce: 'day',
      open: '10',
      limitPrice: null,
      stopPrice: '96',
      stopLimitPrice: null,
      moves: 0,
    })
    assert.deepEqual([...(await protectionsOf(em, signal.userId, [signal.id])).keys()], [signal.id])
    await endProtection(em, signal.id)
    assert.deepEqual(await listProtections(em, signal.accountId), [])
  })

  it('positions with levels have no order at the broker where that has not shown it for long, until it does', async () => {
    const report = await placePlan()
    const seen = async (missed: string) => {
      await em.execute(
        `update orders set unconfirmed_since = now() - interval '${missed}' where client_order_id = ?`,
        [report.clientOrderId],
      )
      const { exit, resting, noted } = await read()
      return [exit?.clientOrderId ?? null, resting, noted]
    }
    assert.deepEqual(await seen('5 seconds'), [report.clientOrderId, RESTING, RESTING])
    assert.deepEqual(await seen('1 minute'), [null, null, null])
    await applyOrderReport(em, signal.accountId, report)
    const { exit, resting } = await read()
    assert.deepEqual([exit?.clientOrderId, resting], [report.clientOrderId, RESTING])
  })

  it('positions with levels keep the best price from any source, and what it cost to open them twice', async () => {
    await noteSeen(em, [{ signalId: signal.id, best: '104', price: '103', at: '2026-03-02T15:00:00.000Z' }])
    await noteSeen(em, [{ signalId: signal.id, best: '102', price: '101', at: '2026-03-02T15:00:01.000Z' }])
    const id = await createTrade(em, { accountId: signal.accountId, signalId: signal.id, status: 'OPEN' })
    await em.execute('update trades set fees = 0.35 where id = ?', [id])
    await noteFees(em, signal.accountId)
    const { best, price, position } = await read()
    assert.deepEqual([best, price?.price, position.fees], ['104', '101', '0.07'])
  })

  it('positions with levels have one level that was crossed at a time, until it is acted upon or is none any more', async () => {
    const crossed = { level: 'stop', at: '96', price: '95.5', seenAt: '2026-03-02T15:00:00.000Z' } as const
    await noteCrossed(em, signal.id, crossed)
    await noteCrossed(em, signal.id, { ...crossed, price: '95' })
    assert.deepEqual((await read()).crossed, crossed)
    await forgetCrossed(em, signal.id, crossed)
    assert.equal((await read()).crossed, null)
  })

  it('positions with levels have their stop moved at the broker, never away from the price, and reported once a minute', async () => {
    const { brokerOrderId } = await placePlan()
    const at = async () => (await broker.getOrder(brokerOrderId))!.stopPrice
    assert.equal(await moveStop(em, broker, await read(), '98'), 'changed')
    assert.equal(await moveStop(em, broker, await read(), '97'), 'same')
    assert.equal(await moveStop(em, broker, await read(), '99'), 'changed')
    assert.deepEqual([await at(), (await read()).resting], ['99', { ...RESTING, stopPrice: '99' }])
    assert.equal((await read()).exit?.moves, 2)
    const events = (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'protection_moved')
    assert.match(events.at(-1)!.message, /moved from 9[68] to 99/)
    assert.ok(events.length <= 2)
  })

  it('positions with levels have the prices at the broker in the end that are noted, where two move a stop at once', async () => {
    const { brokerOrderId } = await placePlan()
    const stale = await read()
    assert.equal(await moveStop(em, broker, await read(), '98.8'), 'changed')
    assert.equal(await moveStop(em, broker, stale, '98.4'), 'same')
    assert.equal((await broker.getOrder(brokerOrderId))!.stopPrice, '98.8')
    const lying = (await broker.getOrder(brokerOrderId))!
    await applyOrderReport(em, signal.accountId, { ...lying, status: 'CANCELLED' })
    assert.equal(await moveStop(em, broker, await read(), '99'), 'ended')
  })
})
