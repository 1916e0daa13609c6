import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_AT_ONCE, exitAfter } from '../desk.ts'
import type { Story } from '../story.ts'

/** Fills that come late, twice, too many or in disorder, and a broker that is away. */
export const FILLS: readonly Story[] = [
  {
    title: 'a fill after the cancel of the entry gets its exit',
    async play(desk) {
      const { broker } = desk
      const id = await desk.open('LATE', {
        orderType: 'limit',
        limitPrice: 60,
        timeInForce: 'gtc',
        ...EXIT_AT_ONCE,
      })
      const entry = await desk.order(id, 'entry')
      broker.end(entry, 'canceled')
      await desk.until(async () =>
        assert.equal(
          (await desk.timeline(id)).some((it) => /cancelled/.test(it)),
          true,
        ),
      )
      await sleep(2_000)
      broker.fill(entry, '4')
      await desk.untilClosed(id)
      assert.deepEqual(desk.sizes(id, 'exit'), ['4'])
    },
  },
  {
    title: 'a fill after the rejection of the entry gets its exit, and is told once',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('UNDEAD', EXIT_AT_ONCE)
      const entry = await desk.order(id, 'entry')
      broker.end(entry, 'rejected')
      await desk.untilStatus(id, 'rejected')
      await sleep(2_000)
      broker.fillsAtOnce = true
      broker.fill(entry)
      await desk.untilHeld('UNDEAD', '0')
      const told = (await desk.alerts('all')).filter(({ kind }) => kind === 'fill_after_end')
      assert.equal(told.length, 1)
    },
  },
  {
    title: 'an order that fills more than was asked is sold as a whole',
    async play(desk) {
      const { broker } = desk
      const { id, entry } = await desk.openResting('OVER', EXIT_AT_ONCE)
      broker.fill(entry, '12')
      await desk.untilClosed(id)
      assert.deepEqual(desk.sizes(id, 'exit'), ['12'])
    },
  },
  {
    title: 'a hundred partial fills, told twice and in disorder, count once each',
    varies: /partly filled/,
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      broker.stream.pass = (event) => [event, event]
      broker.stream.delayOf = () => Math.random() * 800
      const id = await desk.open('SHUFFLE', { quantity: 100, ...EXIT_AT_ONCE })
      const entry = await desk.order(id, 'entry')
      broker.fillsAtOnce = true
      for (let share = 0; share < 100; share += 1) broker.fill(entry, '1')
      await desk.untilClosed(id)
      assert.equal((await desk.shown(id)).filledQuantity, 100)
      assert.deepEqual(desk.sizes(id, 'exit'), ['100'])
    },
  },
  {
    title: 'fills that the stream does not tell are found by asking, and the exit leaves',
    async play(desk) {
      const { broker } = desk
      broker.stream.pass = () => []
      const id = await desk.open('SILENT', EXIT_AT_ONCE)
      await desk.untilClosed(id, 60_000)
    },
  },
  {
    title: 'an exit that falls due while the broker is away leaves when it is back, once',
    async play(desk) {
      const { broker } = desk
      const { id, entry } = await desk.openResting('AWAY', EXIT_AT_ONCE)
      const back = broker.answer({ status: 503, body: '<html>down</html>' })
      broker.fill(entry)
      await sleep(25_000)
      back()
      await desk.untilClosed(id)
      assert.equal(desk.orders(id, 'exit').length, 1)
      await desk.untilQuiet(90_000)
    },
  },
  {
    title: 'an exit that is rejected after its acceptance is sent again until nothing is held',
    async play(desk) {
      const { broker } = desk
      broker.fillsAtOnce = false
      const id = await desk.open('REJECT', EXIT_AT_ONCE)
      broker.fill(await desk.order(id, 'entry'))
      broker.end(await desk.order(id, 'exit'), 'rejected')
      broker.fillsAtOnce = true
      await desk.untilClosed(id)
      assert.deepEqual(
        desk.orders(id, 'exit').map(({ status }) => status),
        ['rejected', 'filled'],
      )
    },
  },
  {
    title: 'an order whose answer is lost is found under its id, and not sent twice',
    async play(desk) {
      desk.broker.answer({ to: 'POST /v2/orders', times: 1, takesEffect: true, status: 504, body: 'timeout' })
      const id = await desk.open('LOST', EXIT_AT_ONCE)
      await desk.untilExit(id, 'filled')
      assert.equal(desk.orders(id, 'entry').length, 1)
      assert.equal(desk.held('LOST'), '0')
    },
  },
  {
    title: 'an order whose request is lost is sent again under the same id',
    async play(desk) {
      desk.broker.answer({ to: 'POST /v2/orders', times: 1, instead: 'reset', status: 500 })
      const id = await desk.open('AGAIN', exitAfter(1))
      await desk.untilExit(id, 'scheduled')
      assert.equal(desk.orders(id, 'entry').length, 1)
      assert.equal(desk.held('AGAIN'), '10')
      await desk.untilClosed(id, 90_000)
    },
  },
]
