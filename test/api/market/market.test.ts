import assert from 'node:assert/strict'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

const BAR = { open: '99', high: '101', low: '98.5', close: '100', volume: '1200' } as const

describe('prices', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    Object.assign(api.broker, new ScriptedBroker())
  })

  const ask = (path: string) => api.call('GET', `/api/v1/market${path}`, { token: user.token })
  const asked = (method: string) => api.broker.requests.get(method) ?? 0

  it('prices are the quotes of the broker for each symbol, with the change of the day', async () => {
    const { status, body } = await ask('/quotes?symbols=aapl,MSFT,AAPL')
    assert.equal(status, 200)
    const { at, ...quote } = body.data.quotes[0]
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 5_000)
    const change = { previousClose: 96, dayChange: 4, dayChangePercent: 4.17 }
    assert.deepEqual(quote, { symbol: 'AAPL', bid: 100, ask: 100, last: 100, ...change })
    assert.deepEqual([body.data.quotes.length, body.data.accountId], [2, user.accountId])
  })

  it('prices are refused for a query without symbols, with too many, and with what is none', async () => {
    const many = Array.from({ length: 51 }, (_, n) => `A${n}`).join(',')
    for (const query of ['', '?symbols=', `?symbols=${many}`, '?symbols=A!']) {
      const { status, body } = await ask(`/quotes${query}`)
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'])
    }
  })

  it('prices of a period are bars, oldest first, asked of the broker once for the same question', async () => {
    api.broker.bars = [
      { ...BAR, at: '2026-03-02T15:00:00.000Z' },
      { ...BAR, at: '2026-03-02T15:01:00.000Z' },
    ]
    const path = '/bars?symbol=AAPL&timeframe=1m&from=2026-03-02T15:00:00Z&to=2026-03-02T16:00:00Z'
    const [{ body }] = await Promise.all([ask(path), ask(path)])
    const { at, ...bar } = body.data.bars[0]
    assert.deepEqual(
      [at, bar],
      ['2026-03-02T15:00:00.000Z', { open: 99, high: 101, low: 98.5, close: 100, volume: 1_200 }],
    )
    assert.deepEqual([body.data.bars.length, body.data.isComplete, asked('listBars')], [2, true, 1])
  })
})
