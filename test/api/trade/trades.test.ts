import { standardAnswer } from '#contract/envelopes.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  openTradeListAnswer,
  tradeDetailAnswer,
  tradeListAnswer,
  tradeTotalsAnswer,
} from '#contract/position/trades.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { recordFills } from '#db/position/fills.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import { createSignal, createTrade, orderReport } from '../../support/factories.ts'
import { aFill, second } from '../../support/fills.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

describe('reading trades', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
  })

  const get = (path: string, token = user.token) => api.call('GET', `/api/v1${path}`, { token })
  const em = () => api.database.em.fork()
  /** Each of them costs half a dollar. */
  const record = (...fills: Execution[]) => {
    const fees = fills.map(({ executionId, at }) => ({
      feeId: executionId,
      executionId,
      day: at.slice(0, 10),
      amount: '0.5' as const,
      kind: 'trades' as const,
    }))
    return recordFills(em(), user, { fills, fees, until: null })
  }
  const bought = (symbol: string, at: number, fields: Partial<Execution> = {}) =>
    aFill({ symbol, quantity: '10', at: second(at), ...fields })
  const sold = (symbol: string, at: number, fields: Partial<Execution> = {}) =>
    bought(symbol, at, { side: 'SELL', price: '110', ...fields })
  const price = (symbol: string, currentPrice: Decimal) => {
    const positions = [held('1', 'LONG', { symbol, currentPrice })]
    return saveAccountSnapshot(em(), user, { ...new ScriptedBroker().balances, positions })
  }

  it('reading trades sorts them by closing, result and symbol, page by page, and adds up the days of their closing', async () => {
    const { accountId } = user
    const results = ['5', '-20', '0', '-3.5', '40'] as const
    for (const [at, realisedPnl] of results.entries())
      await createTrade(em(), {
        accountId,
        realisedPnl,
        symbol: `S${'EDCBA'[at]}`,
        // The last hour of the second of March in New York, and after it.
        exitAt: new Date(Date.parse('2026-03-03T04:20:00Z') + at * 1_200_000),
      })
    await createTrade(em(), { accountId, status: 'OPEN', realisedPnl: null, symbol: 'SZ' })
    const walk = async (query: string, field: string) => {
      const values: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { status, body } = await get(`/trades?limit=2&${query}${cursor && `&cursor=${cursor}`}`)
        assert.equal(status, 200, JSON.stringify(body))
        values.push(...body.data.trades.map((trade: Record<string, unknown>) => trade[field]))
        cursor = body.data.nextCursor
      }
      return values
    }
    assert.deepEqual(await walk('sort=realisedPnl', 'realisedPnl'), [40, 5, 0, -3.5, -20])
    assert.deepEqual(await walk('sort=realisedPnl&direction=asc', 'realisedPnl'), [-20, -3.5, 0, 5, 40])
    assert.deepEqual(await walk('sort=exitAt&direction=asc', 'symbol'), ['SE', 'SD', 'SC', 'SB', 'SA'])
    assert.deepEqual(await walk('sort=symbol&direction=asc', 'symbol'), ['SA', 'SB', 'SC', 'SD', 'SE', 'SZ'])
    const second_ = 'closedFrom=2026-03-02&closedTo=2026-03-02'
    assert.deepEqual(await walk(`sort=exitAt&${second_}`, 'symbol'), ['SD', 'SE'])
    const totals = async (query: string) =>
      standardAnswer(tradeTotalsAnswer).parse((await get(`/trades/totals?${query}`)).body).data
    assert.deepEqual(await totals(second_), { trades: 2, open: 0, wins: 1, realisedPnl: -15, fees: 0 })
    assert.deepEqual(await totals(''), { trades: 6, open: 1, wins: 2, realisedPnl: 21.5, fees: 0 })
    const faulty = await get('/trades?sort=fees&status=DONE&side=UP&colour=red')
    assert.deepEqual(
      [faulty.status, pluck(faulty.body.details, 'field')],
      [400, ['status', 'side', 'sort', 'colour']],
    )
  })

  it('shows a closed trade whole, with the signal, strategy and orders that it is of', async () => {
    const { accountId, strategyId } = user
    const signal = await createSignal(em(), { accountId, strategyId })
    const entry = orderReport(signal)
    const exit = orderReport(signal, { role: 'exit' })
    const { orderId: entryId } = await recordAccepted(em(), entry)
    await record(bought('AAPL', 1, { brokerOrderId: entry.brokerOrderId }))
    await record(sold('AAPL', 2, { brokerOrderId: exit.brokerOrderId }))
    const { body } = await get('/trades')
    standardAnswer(tradeListAnswer).parse(body)
    const [trade] = body.data.trades
    assert.deepEqual(
      { ...trade, id: '' },
      {
        id: '',
        accountId,
        symbol: 'AAPL',
        side: 'LONG',
        status: 'CLOSED',
        quantity: 10,
        entryPrice: 100,
        exitPrice: 110,
        entryAt: '2026-03-02T15:00:01.000Z',
        exitAt: '2026-03-02T15:00:02.000Z',
        realisedPnl: 99,
        realisedPnlPercent: 9.9,
        fees: 1,
        strategyId,
        signalId: signal.id,
        entryOrderIds: [entryId],
        exitOrderIds: [],
      },
    )
    const shown = await get(`/trades/${trade.id}`)
    standardAnswer(tradeDetailAnswer).parse(shown.body)
    assert.deepEqual(shown.body.data.trade, trade)
    assert.equal((await get(`/trades/${randomUUID()}`)).body.code, 'TRADE_NOT_FOUND')
    assert.equal((await get(`/accounts/${accountId}`)).body.realisedPnl, 99)
  })

  it('finds trades by account, symbol, status, side, signal, strategy and period', async () => {
    const signal = await createSignal(em(), { accountId: user.accountId, strategyId: user.strategyId })
    const entry = orderReport(signal)
    await recordAccepted(em(), entry)
    await record(bought('AAPL', 1, { brokerOrderId: entry.brokerOrderId }), sold('AAPL', 2))
    await record(sold('TSLA', 5))
    const found = async (query: string) => pluck((await get(`/trades?${query}`)).body.data.trades, 'symbol')
    assert.deepEqual(await found(''), ['TSLA', 'AAPL'])
    assert.deepEqual(await found(`accountId=${user.accountId}`), ['TSLA', 'AAPL'])
    assert.deepEqual(await found(`accountId=${randomUUID()}`), [])
    assert.deepEqual(await found('symbol=aapl'), ['AAPL'])
    assert.deepEqual(await found('symbol=ts*'), ['TSLA'])
    assert.deepEqual(await found('status=OPEN'), ['TSLA'])
    assert.deepEqual(await found('side=LONG'), ['AAPL'])
    assert.deepEqual(await found(`signalId=${signal.id}`), ['AAPL'])
    assert.deepEqual(await found(`strategyId=${user.strategyId}`), ['AAPL'])
    assert.deepEqual(await found('from=2026-03-02T15:00:05Z'), ['TSLA'])
    assert.deepEqual(await found('to=2026-03-02T15:00:05Z'), ['AAPL'])
  })

  describe('that are open', () => {
    it('reading trades that are open are valued at the price of the last sync, after the fees paid so far', async () => {
      await record(bought('AAPL', 1))
      await price('AAPL', '105')
      const { status, body } = await get('/orders/open-trades')
      assert.equal(status, 200)
      openTradeListAnswer.parse(body)
      const [trade] = body.trades
      // 10 * 105 - 10 * 100 - 0.50, of 1000.
      assert.deepEqual(
        [trade.currentPrice, trade.unrealisedPnl, trade.unrealisedPnlPercent, trade.realisedPnl],
        [105, 49.5, 4.95, null],
      )
      assert.equal(body.total, 1)
    })

    it('reading trades that are open: those sold short gain when the price falls, and have no value as long as no price is known', async () => {
      await record(sold('AAPL', 1, { price: '100' }))
      const valued = async () =>
        rowsOf((await get('/orders/open-trades')).body.trades, 'side', 'currentPrice', 'unrealisedPnl')
      assert.deepEqual(await valued(), [['SHORT', null, null]])
      await price('AAPL', '90')
      assert.deepEqual(await valued(), [['SHORT', 90, 99.5]])
    })
  })
})
