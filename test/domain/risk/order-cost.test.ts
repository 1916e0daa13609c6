import assert from 'node:assert/strict'
import { costOf } from '#domain/risk/buying-power.ts'

describe('the cost of an order that is tried', () => {
  const market = { bid: '99', ask: '100', last: '98' } as const
  const order = { quantity: '10', limitPrice: null, stopPrice: null } as const
  const cost = (side: 'BUY' | 'SELL' | 'SELL_SHORT', limitPrice: '90' | '120' | null = null) =>
    costOf({ ...order, side, limitPrice }, market, { shortAboveAsk: '3' })

  it('the cost of an order is that of its limit, or of the side of the market that takes it', () => {
    assert.deepEqual([cost('BUY'), cost('SELL'), cost('BUY', '90')], ['1000', '990', '900'])
  })

  it('the cost of an order is the buying power that a short sale takes, for any limit below that', () => {
    assert.deepEqual(
      [cost('SELL_SHORT'), cost('SELL_SHORT', '90'), cost('SELL_SHORT', '120')],
      ['1030', '1030', '1200'],
    )
  })
})
