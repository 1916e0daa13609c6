import assert from 'node:assert/strict'
import { add, multiply, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'
import { assertOneEntryOneExit, ordersAtVenue, senderOn } from '#test/service/sent-signal.ts'

/** Dollars that the venue charges for each share. */
const FEE = '0.01'

type Trade = ApiAnswer['body']

describe('trades on the whole service', function () {
  this.timeout(90_000)
  const service = useStack({ venue: { VENUE_FEE_PER_SHARE: FEE } })

  const { pinned, sent } = senderOn(service)
  const send = (symbol: string, changes: object = {}) => sent({ symbol, ...changes })
  const tradesOf = async (symbol: string): Promise<Trade[]> => {
    const { status, body } = await service.stack.api.get(`/trades?symbol=${symbol}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.trades
  }
  /** The trades of a symbol, as soon as so many are closed and so many open, oldest first. */
  const settled = (symbol: string, closed: number, open = 0): Promise<Trade[]> =>
    eventually(
      async () => {
        const trades = await tradesOf(symbol)
        const count = (status: string) => trades.filter((trade) => trade.status === status).length
        assert.deepEqual([count('CLOSED'), count('OPEN')], [closed, open])
        return trades.toReversed()
      },
      { within: 40_000 },
    )
  /** What the orders brought by the venue's own ledger, in dollars: sales less purchases less fees. */
  const broughtIn = (orders: readonly LedgerOrder[]): Decimal =>
    orders
      .flatMap(({ side, fills }) =>
        fills.map(({ qty, price, fee }) =>
          subtract(multiply(multiply(qty, price), side === 'sell' ? '1' : '-1'), fee),
        ),
      )
      .reduce(add, '0')

  it('a signal with an exit becomes one closed trade, with the profit of the venue’s own ledger', async () => {
    const symbol = 'ZTROUND'
    const id = await send(symbol, { exitTriggerType: 'immediate' })
    await assertOneEntryOneExit(service.stack, id)
    const [trade] = await settled(symbol, 1)
    const orders = ordersAtVenue(await service.stack.venue.ledger(), id)
    assert.equal(trade.realisedPnl, Number(broughtIn(orders)))
    assert.deepEqual([trade.signalId, trade.side, trade.quantity, trade.fees], [id, 'LONG', 10, 0.2])
    const [entry, exit] = await Promise.all(
      [trade.entryOrderIds[0], trade.exitOrderIds[0]].map((orderId) =>
        service.stack.api.get(`/orders/${orderId}`),
      ),
    )
    assert.deepEqual([entry!.body.signalId, exit!.body.signalId], [id, id])
    assert.equal(trade.entryPrice, entry!.body.avgFillPrice)
  })

  it('a fill that comes while no worker lives is a trade as soon as one does, once', async () => {
    const { stack } = service
    const symbol = await pinned('ZTALONE', 20)
    await stack.venue.script([{ symbol, on: 'fill', mode: 'delay', delayMs: 2_000 }])
    const id = await send(symbol)
    await stack.parts.worker.kill()
    await eventually(
      async () => {
        const [order] = ordersAtVenue(await stack.venue.ledger(), id)
        assert.equal(order?.status, 'filled')
      },
      { within: 20_000 },
    )
    await stack.venue.clearScript()
    assert.deepEqual(await tradesOf(symbol), [])
    await stack.parts.worker.start()
    const before = await settled(symbol, 0, 1)
    assert.deepEqual([before[0].signalId, before[0].fees], [id, 0.1])
    await stack.parts.worker.kill()
    await stack.parts.worker.start()
    await send(symbol, { action: 'closeLong' })
    const after = await settled(symbol, 1)
    assert.deepEqual([after[0].id, after[0].realisedPnl], [before[0].id, -0.2])
  })

  it('together they are the change of cash and of held value, as the account shows', async () => {
    const { stack } = service
    const symbol = await pinned('ZTLAST', 10)
    await send(symbol)
    await settled(symbol, 0, 1)
    const { account, positions } = await stack.venue.ledger()
    assert.deepEqual(
      positions.map((held) => [held.symbol, held.qty]),
      [[symbol, '10']],
    )
    const change = add(subtract(account.cash, account.openingCash), '100')
    const { body } = await stack.api.get('/trades?limit=500')
    const realised = body.data.trades.map((trade: Trade) => String(trade.realisedPnl ?? 0)).reduce(add, '0')
    // What is open cost ten cents.
    assert.equal(subtract(realised, '0.1'), change)
    const shown = await stack.api.get(`/accounts/${stack.accountId}`)
    assert.equal(shown.body.realisedPnl.toFixed(2), Number(realised).toFixed(2))
    const counts = await stack.query<{ fills: string; executions: string }>(
      'select count(*) as fills, count(distinct execution_id) as executions from fills',
    )
    const executed = (await stack.venue.ledger()).orders.flatMap(({ fills }) => fills).length
    assert.deepEqual([Number(counts[0]!.fills), Number(counts[0]!.executions)], [executed, executed])
  })
})
