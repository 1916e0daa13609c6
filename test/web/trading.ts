import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import type { App } from './browser.ts'
import { newSymbol } from './signals.ts'

/** Trading for the enclosing `describe`, by the API, so that pages have something to show. */
export const tradingOf = (app: App) => ({
  /** Buys ten shares by a signal, and waits until they are held; resolves with the signal's id and the symbol. */
  async bought(changes: { symbol?: string; quantity?: number } & Record<string, unknown> = {}): Promise<{
    id: string
    symbol: string
  }> {
    const sent = {
      symbol: newSymbol(),
      action: 'openLong',
      accountId: app.stack.accountId,
      quantity: 10,
      executeMode: 'immediate',
      ...changes,
    }
    const { status, body } = await app.stack.api.post('/signals', sent)
    assert.ok(status === 201 || status === 202, JSON.stringify(body))
    // Asked of the records first: each look at positions takes of the broker's requests, which cards need as well.
    await eventually(
      async () => {
        const { body: record } = await app.stack.api.get(`/signals/${body.signal.id}`)
        assert.ok(record.data.filledQuantity > 0)
      },
      { within: 20_000 },
    )
    await eventually(
      async () => {
        const { body: held } = await app.stack.api.get(`/positions?symbol=${sent.symbol}`)
        assert.equal(held.positions.length, 1)
      },
      { within: 20_000 },
    )
    return { id: body.signal.id, symbol: sent.symbol }
  },
  /** Places a manual order for one share that waits away from the market; resolves with its id. */
  async resting(symbol: string, changes: { side?: 'BUY' | 'SELL'; quantity?: number } = {}): Promise<string> {
    const { side = 'BUY', quantity = 1 } = changes
    const last = await eventually(
      async () => {
        // What a page has just asked may have spent the share of looks at the broker.
        const { status, body } = await app.stack.api.get(`/market/quotes?symbols=${symbol}`)
        assert.equal(status, 200)
        return body.data.quotes[0].last as number
      },
      { within: 30_000 },
    )
    const { status, body } = await app.stack.api.post('/orders', {
      accountId: app.stack.accountId,
      symbol,
      side,
      orderType: 'LIMIT',
      quantity,
      limitPrice: Math.round(last * (side === 'BUY' ? 0.7 : 1.3)),
    })
    assert.ok(status === 201 || status === 202, JSON.stringify(body))
    return body.order.id
  },
  /** Shares of the symbol at the venue, negative for a short position. */
  async heldAtVenue(symbol: string): Promise<number> {
    const { positions } = await app.stack.venue.ledger()
    return Number(positions.find((position) => position.symbol === symbol)?.qty ?? 0)
  },
})
