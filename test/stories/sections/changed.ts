import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { alpacaRejections } from '#test/brokers/alpaca-answers.ts'
import type { Carrying } from '#test/support/scripted-alpaca/account.ts'
import { EXIT_AT_ONCE, exitAfter } from '../desk.ts'
import type { Story } from '../story.ts'

const REPLACED: readonly [carrying: Carrying, symbol: string, held: string][] = [
  ['only the rest', 'RESTONLY', '10'],
  ['the whole order again', 'WHOLE', '14'],
  ['with the fills', 'CARRIED', '10'],
]

/** Orders that are other ones at the broker than those that were sent. */
export const CHANGED: readonly Story[] = [
  ...REPLACED.map(([carrying, symbol, held]): Story => ({
    title: `an order that is replaced at the broker after a partial fill, ${carrying}, is sold as a whole`,
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open(symbol, {
        orderType: 'limit',
        limitPrice: 95,
        timeInForce: 'gtc',
        ...EXIT_AT_ONCE,
      })
      const entry = await desk.order(id, 'entry')
      broker.fill(entry, '4')
      await desk.untilFilled(id, 4)
      const next = broker.replaceByHand(entry, { limit_price: '101' }, carrying)
      await sleep(500)
      broker.fillsAtOnce = true
      broker.fill(next)
      assert.equal(desk.held(symbol), held)
      await desk.untilHeld(symbol, '0')
      const { exit, filledQuantity } = await desk.untilExit(id, 'filled')
      assert.deepEqual([filledQuantity, exit.status], [Number(held), 'filled'])
    },
  })),
  {
    title:
      'an order that the look-up shows with another type and price is taken as ours, and its sourceId stays taken',
    async play(desk) {
      const { broker } = desk
      broker.shown.order = (order) =>
        order.type === 'stop'
          ? { ...order, type: 'stop_limit', order_type: 'stop_limit', limit_price: '107.63' }
          : order
      broker.answer({ to: 'POST /v2/orders', times: 1, takesEffect: true, status: 504, body: 'timeout' })
      const order = { orderType: 'stop', stopPrice: 105, sourceId: 'conv-1', ...EXIT_AT_ONCE }
      const id = await desk.open('CONV', order)
      await desk.untilStatus(id, 'executed')
      const again = await desk.open('CONV', order)
      assert.equal(again, id)
      assert.equal(broker.sent.length, 1)
      broker.fill(broker.books.working('CONV'))
      await desk.untilClosed(id)
    },
  },
  {
    title: 'an exit whose id the broker has taken without an order goes out under the next id',
    async play(desk) {
      const { broker } = desk
      const { id, entry } = await desk.openResting('PHANTOM', EXIT_AT_ONCE)
      let phantom: string | undefined
      broker.answer({
        to: 'POST /v2/orders',
        times: 1,
        when: ({ body }) => {
          phantom ??= JSON.parse(body).client_order_id
          return true
        },
        status: 500,
        body: { message: 'internal server error' },
      })
      broker.answer({
        to: 'POST /v2/orders',
        when: ({ body }) => JSON.parse(body).client_order_id === phantom,
        status: 422,
        body: alpacaRejections.duplicate,
      })
      broker.fill(entry)
      await desk.untilClosed(id, 130_000)
      assert.notEqual(desk.orders(id, 'exit')[0]!.client_order_id, phantom)
    },
  },
  {
    title: 'a bust before the exit makes the exit smaller',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('BUSTA', exitAfter(1))
      const entry = await desk.order(id, 'entry')
      const first = broker.fill(entry, '4')
      broker.fill(entry)
      broker.fillsAtOnce = true
      await desk.untilExit(id, 'scheduled')
      broker.bust(first)
      await desk.untilHeld('BUSTA', '0', 100_000)
      assert.deepEqual(desk.sizes(id, 'exit'), ['6'])
    },
  },
  {
    title: 'a bust after the exit tells the short position that it leaves',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('BUSTB', EXIT_AT_ONCE)
      const entry = await desk.order(id, 'entry')
      const first = broker.fill(entry, '4')
      broker.fillsAtOnce = true
      broker.fill(entry)
      await desk.untilExit(id, 'filled')
      await sleep(2_000)
      broker.bust(first)
      const alert = await desk.untilAlert('fill_amended')
      assert.equal(desk.held('BUSTB'), '-4')
      assert.match(alert.message, /short|-4|−4/)
    },
  },
]
