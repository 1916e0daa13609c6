import assert from 'node:assert/strict'
import { oppositeFault, type OpenOrder } from '#domain/order/opposite-orders.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'

describe('an entry beside the order of an exit by levels', () => {
  const plan: OpenOrder = {
    ...orderRequest({ side: 'SELL', quantity: '10', timeInForce: 'gtc' }),
    brokerOrderId: 'broker-plan',
    filledQuantity: '0',
  }
  const entry = orderRequest({ orderType: 'limit', limitPrice: '100' })

  it('an entry beside a target meets it only at its price', () => {
    const target = { ...plan, orderType: 'limit', limitPrice: '110' } as const
    assert.equal(oppositeFault(entry, [target]), null)
    assert.match(oppositeFault({ ...entry, limitPrice: '110' }, [target]) ?? '', /your own open order/)
  })

  for (const orderType of ['oco', 'trailingStop', 'stop'] as const)
    it(`an entry beside a resting order with a stop, ${orderType}, could trade with it at any price`, () => {
      const limitPrice = orderType === 'oco' ? '110' : null
      assert.match(oppositeFault(entry, [{ ...plan, orderType, limitPrice }]) ?? '', /your own open order/)
    })
})
