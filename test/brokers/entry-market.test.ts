import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { readEntryMarket } from '#brokers/entry-market.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

const NOW = Date.parse('2026-03-02T22:00:00.000Z')
const NEXT = {
  date: '2026-03-03',
  opensAt: '2026-03-03T14:30:00.000Z',
  closesAt: '2026-03-03T21:00:00.000Z',
}
const NOTHING = {
  account: false,
  quote: false,
  openOrders: false,
  lastPrice: false,
  asset: false,
  assetClass: false,
  borrow: false,
  marketPhase: false,
  sessions: false,
}
const ORDER_COSTS = { leastPartialOrder: '1', shortAboveAsk: '3', room: '0.5' } as const
const PRICES = { askedAt: NOW, recentSessions: async () => [] }

describe('the calendar of an entry on which nothing but an advisory depends', () => {
  const read = (broker: ScriptedBroker, sessions: () => Promise<TradingSession[]>, needs = NOTHING) =>
    readEntryMarket(broker, { symbol: 'AAPL' }, needs, {
      sessions,
      zone: 'America/New_York',
      now: NOW,
      prices: PRICES,
      orderCosts: ORDER_COSTS,
      keeping: { stops: true, oco: true, trailing: true },
    })

  it('the calendar of an entry on which nothing but an advisory depends is taken where it is at hand', async () => {
    assert.deepEqual((await read(new ScriptedBroker(), async () => [NEXT])).sessions, [NEXT])
  })

  it('the calendar of an entry on which nothing but an advisory depends is waited for as long as a distant broker takes for a request', async () => {
    const distant = () => setTimeout(150, [NEXT])
    assert.deepEqual((await read(new ScriptedBroker(), distant)).sessions, [NEXT])
  })

  it('keeps no entry waiting that hangs, and fails none that cannot be had', async () => {
    const begun = performance.now()
    const hanging = () => new Promise<TradingSession[]>(() => {})
    assert.deepEqual((await read(new ScriptedBroker(), hanging)).sessions, [])
    assert.ok(performance.now() - begun < 5_000)
    const failing = () => Promise.reject(new Error('no calendar'))
    assert.deepEqual((await read(new ScriptedBroker(), failing)).sessions, [])
    await assert.rejects(read(new ScriptedBroker(), failing, { ...NOTHING, sessions: true }), /no calendar/)
  })

  it('the calendar of an entry on which nothing but an advisory depends is asked for once by many entries at once', async () => {
    const broker = new ScriptedBroker()
    let asked = 0
    const sessions = async () => {
      asked += 1
      return [NEXT]
    }
    const markets = await Promise.all(Array.from({ length: 50 }, () => read(broker, sessions)))
    assert.equal(asked, 1)
    assert.ok(markets.every((market) => market.sessions.length === 1))
  })
})
