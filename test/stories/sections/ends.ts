import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_AT_ONCE } from '../desk.ts'
import type { Story } from '../story.ts'

/** Orders that end, hang or wait by the will of the broker: each of them is told. */
export const ENDS: readonly Story[] = [
  {
    title: 'a close behind a cancel that hangs does not die, and sells when the cancel has ended',
    async play(desk) {
      const { broker } = desk
      const id = await desk.open('HANGS', { ...EXIT_AT_ONCE, exitOrderType: 'limit', exitLimitPrice: 120 })
      await desk.untilExit(id, 'submitted')
      broker.cancels = 'hang'
      const { status, body } = await desk.send({ symbol: 'HANGS', action: 'closeLong' })
      assert.equal(status, 202, JSON.stringify(body))
      await sleep(77_000)
      assert.ok((await desk.alerts()).length > 0, 'an alert says that it waits')
      broker.cancels = 'cancel'
      broker.end(broker.books.working('HANGS'), 'canceled')
      await desk.untilHeld('HANGS', '0')
      // The broker has sold a moment before the ledger has heard of it.
      await desk.until(async () => assert.equal((await desk.shown(body.signal.id)).status, 'executed'))
    },
  },
  {
    title: 'a market exit that does not fill in a session is reported after a minute, until it fills',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('HALTED', EXIT_AT_ONCE)
      broker.fill(await desk.order(id, 'entry'))
      const exit = await desk.order(id, 'exit')
      await desk.until(async () => {
        const alerts = await desk.alerts()
        assert.ok(
          alerts.some(({ message }) => /not (been )?filled|has not filled|unfilled/i.test(message)),
          JSON.stringify(alerts),
        )
      }, 110_000)
      broker.fill(exit)
      await desk.untilExit(id, 'filled')
      await desk.untilQuiet(90_000)
    },
  },
  {
    title: 'a market exit that the broker cancels by itself is reported, with what to do',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('DROPPED', EXIT_AT_ONCE)
      broker.fill(await desk.order(id, 'entry'))
      broker.end(await desk.order(id, 'exit'), 'canceled')
      const alert = await desk.untilAlert('unprotected_position')
      assert.match(alert.message, /close|sell/i)
    },
  },
  {
    title: 'an exit that an order of others blocks is gone round, or leaves at once when that goes',
    async play(desk) {
      const { broker } = desk
      const foreign = broker.byHand({
        symbol: 'WASH',
        side: 'buy',
        qty: '1',
        type: 'limit',
        limit_price: '60',
      })
      const { id, entry } = await desk.openResting('WASH', EXIT_AT_ONCE)
      broker.fill(entry)
      await desk.untilClosed(id, 20_000)
      assert.equal(foreign.status, 'new')
    },
  },
  {
    title: 'an exit whose shares an order of others holds leaves soon after that goes',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('HOLDER', EXIT_AT_ONCE)
      const entry = await desk.order(id, 'entry')
      broker.fill(entry, '10', { silently: true })
      const holder = broker.byHand({
        symbol: 'HOLDER',
        side: 'sell',
        qty: '10',
        type: 'stop',
        stop_price: '50',
        position_intent: 'sell_to_close',
      })
      broker.fillsAtOnce = true
      broker.reportExecution(entry, broker.books.executions.at(-1)!)
      await desk.untilAlert('unprotected_position')
      await sleep(12_000)
      const freedAt = Date.now()
      broker.end(holder, 'canceled')
      const exit = await desk.order(id, 'exit')
      const late = Date.parse(exit.created_at) - freedAt
      assert.ok(late < 3_000, `it left ${late} ms after the shares were free`)
      await desk.untilExit(id, 'filled')
    },
  },
  {
    title:
      'the stop of a plan that the broker does not show any more is placed again after a minute, and reported',
    async play(desk) {
      const { broker } = desk
      const id = await desk.open('GONE', { protection: { stop: { percent: 20 }, until: 'closed' } })
      const first = await desk.order(id, 'exit')
      await sleep(17_000)
      broker.books.orders.splice(broker.books.orders.indexOf(first), 1)
      await desk.untilAlert('order_unknown_at_broker', /counts as ended/, 120_000)
      await desk.until(async () => {
        const again = await desk.order(id, 'exit')
        assert.notEqual(again.id, first.id)
      }, 60_000)
    },
  },
  {
    title: 'a paper account that was made again has none of its orders after a minute',
    async play(desk) {
      const { broker } = desk
      await desk.open('RESET', { orderType: 'limit', limitPrice: 60, timeInForce: 'gtc', ...EXIT_AT_ONCE })
      await desk.until(() => assert.equal(broker.sent.length, 1))
      await sleep(17_000)
      broker.reset()
      await desk.untilAlert('order_unknown_at_broker', /counts as ended/, 120_000)
      const person = await desk.person()
      const { body } = await person.get('/brokers')
      const removed = await person.delete(`/brokers/${body.data.brokers[0].id}`)
      assert.equal(removed.status, 200, JSON.stringify(removed.body))
    },
  },
]
