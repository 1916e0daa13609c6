import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ScriptedAccount } from '#test/support/scripted-alpaca/account.ts'
import { EXIT_AT_ONCE, exitAfter } from '../desk.ts'
import type { Story } from '../story.ts'

const NOT_AUTHORISED = { code: 40_110_000, message: 'request is not authorized' }
const HOURS = 3_600_000

const withEquity = ({ books }: ScriptedAccount): void => {
  books.openingCash = '28000'
}

/** Single facts that are odd for once: prices, equity, keys, a clock. */
export const FACTS: readonly Story[] = [
  {
    title: 'a last price of months ago does not size an entry',
    async play(desk) {
      const { market } = desk.broker
      market.set('STALE', 40)
      const { bid, ask } = market.of('STALE')
      market.set('STALE', 10, { bid, ask, lastAt: Date.now() - 100 * 24 * HOURS })
      const order = { symbol: 'STALE', quantityType: 'dollarAmount', quantity: 10_000 }
      const outcome = await desk.outcomeOf(order)
      assert.ok(['PRICE_STALE', 'executed'].includes(outcome), outcome)
      if (outcome === 'executed') await desk.until(() => assert.notEqual(desk.held('STALE'), '0'))
      assert.ok(Number(desk.held('STALE')) <= 250, `${desk.held('STALE')} shares of 40 dollars`)
    },
  },
  {
    title: 'an equity that is fourfold without a fill buys nothing',
    prepare: withEquity,
    async play(desk) {
      const { broker } = desk
      broker.shown.account = (fields) => ({ ...fields, equity: '109092.32', portfolio_value: '109092.32' })
      const outcome = await desk.outcomeOf({ symbol: 'EQUITY', quantityType: 'percentEquity' })
      assert.equal(outcome, 'EQUITY_IMPLAUSIBLE')
      assert.equal(desk.held('EQUITY'), '0')
    },
  },
  {
    title: 'an equity that is fourfold for a moment sizes nothing',
    prepare: withEquity,
    async play(desk) {
      const { broker } = desk
      broker.shown.account = (fields) => ({ ...fields, equity: '109092.32', portfolio_value: '109092.32' })
      setTimeout(() => (broker.shown.account = (fields) => fields), 1_500)
      const outcome = await desk.outcomeOf({ symbol: 'MOMENT', quantityType: 'percentEquity' })
      if (outcome !== 'EQUITY_IMPLAUSIBLE') await desk.untilHeld('MOMENT', '27.997200279')
    },
  },
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
    title: 'a price service that refuses is not told as wrong keys',
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
    title: 'an entry whose price cannot be had ends when its time is over, and is taken again',
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
    title: 'a stream that does not authorise is told once, and orders and exits go on',
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
  {
    title: 'an execution that cannot be read does not stop the books',
    async play(desk) {
      const { broker } = desk
      broker.shown.activities = (rows) =>
        rows.map((row) => (row['symbol'] === 'ODD' ? { ...row, side: 'neither' } : row))
      broker.fill(broker.byHand({ symbol: 'ODD', side: 'buy', qty: '3', type: 'market' }))
      const id = await desk.open('BOOKS', EXIT_AT_ONCE)
      await desk.untilExit(id, 'filled')
      await desk.until(async () => {
        const { body } = await desk.api.get('/trades')
        assert.deepEqual(
          body.data.trades.map(({ symbol, quantity }: { symbol: string; quantity: number }) => [
            symbol,
            quantity,
          ]),
          [['BOOKS', 10]],
        )
      })
    },
  },
  {
    title: 'an order of others that cannot be read does not break the stream',
    async play(desk) {
      const { broker } = desk
      const before = broker.stream.signedIn.accepted
      broker.shown.order = (order) => (order.symbol === 'ALIEN' ? { ...order, type: 'pegged' } : order)
      for (let event = 0; event < 5; event += 1)
        broker.byHand({ symbol: 'ALIEN', side: 'buy', qty: '1', type: 'market' })
      const id = await desk.open('HEARD', EXIT_AT_ONCE)
      await desk.untilExit(id, 'filled')
      await sleep(3_000)
      assert.equal(broker.stream.signedIn.accepted, before)
    },
  },
]
