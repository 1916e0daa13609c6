import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_AT_ONCE, exitAfter } from '../desk.ts'
import type { Story } from '../story.ts'

const NOT_AUTHORISED = { code: 40_110_000, message: 'request is not authorized' }

/** Single facts that are odd for once: prices, equity, keys, a clock. */
export const FACTS: readonly Story[] = [
  {
    title: 'one 401 to every kind of question, while the keys are good, costs no trade and no exit',
    async play(desk) {
      const { broker } = desk
      const odd = new Set<string>()
      broker.answer({
        when: ({ method, path }) => {
          const kind = `${method} ${path}`
          if (path === '/v2/account' || odd.has(kind)) return false
          odd.add(kind)
          return true
        },
        status: 401,
        body: NOT_AUTHORISED,
      })
      const id = await desk.open('EACH401', EXIT_AT_ONCE)
      await desk.untilClosed(id)
      assert.equal((await desk.alerts('all')).filter(({ kind }) => kind === 'credentials').length, 0)
    },
  },
  {
    title: 'a price service that refuses is not reported as wrong keys',
    async play(desk) {
      const { broker } = desk
      broker.answer({ to: 'GET /v2/stocks*', status: 403, body: { message: 'forbidden.' } })
      const order = { symbol: 'PLAN', quantityType: 'dollarAmount', quantity: 1_000 }
      assert.equal(await desk.outcomeOf(order), 'PRICE_UNAVAILABLE')
      assert.equal(desk.held('PLAN'), '0')
      assert.ok((await desk.alerts('all')).every(({ kind }) => kind !== 'credentials'))
    },
  },
  {
    title: 'an entry whose price cannot be had ends when its time has passed, and is accepted again',
    async play(desk) {
      const { broker } = desk
      const back = broker.answer({ to: 'GET /v2/stocks*', status: 500, body: { message: 'internal' } })
      const order = { symbol: 'DOWN', quantityType: 'dollarAmount', quantity: 1_000, sourceId: 'down-1' }
      const id = await desk.open('DOWN', order)
      const signal = await desk.untilStatus(id, 'error', 90_000)
      assert.match(`${signal.statusReason} ${signal.statusDetail}`, /price/i)
      back()
      const again = await desk.open('DOWN', order)
      assert.notEqual(again, id)
      await desk.untilStatus(again, 'executed')
    },
  },
  {
    title: 'a stream that does not authorise is reported once, and orders and exits go on',
    async play(desk) {
      const { broker } = desk
      broker.stream.authorises = false
      broker.stream.cut()
      const id = await desk.open('DEAF', EXIT_AT_ONCE)
      await desk.untilClosed(id, 60_000)
      await sleep(40_000)
      const alerts = await desk.alerts('all')
      assert.ok(alerts.length <= 1, JSON.stringify(alerts))
      for (const { message } of alerts)
        assert.doesNotMatch(message, /no order can be placed|rejects the keys/)
    },
  },
  ...([-180, 180] as const).map((seconds): Story => ({
    title: `a broker whose clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead'} gets the exit a minute after the entry`,
    async play(desk) {
      const { broker } = desk
      const symbol = seconds < 0 ? 'BEHIND' : 'AHEAD'
      broker.clockAhead = seconds * 1_000
      // The service has to hear of it.
      await sleep(20_000)
      const id = await desk.open(symbol, exitAfter(1))
      const entry = await desk.order(id, 'entry')
      const exit = await desk.order(id, 'exit', 90_000)
      const waited = Date.parse(exit.created_at) - Date.parse(entry.created_at)
      assert.ok(waited >= 58_000 && waited < 70_000, `it left after ${waited} ms`)
      await desk.untilExit(id, 'filled')
      assert.ok(
        (await desk.alerts('all')).some(({ message }) => /clock/i.test(message)),
        'an alert names the clock',
      )
    },
  })),
]
