import assert from 'node:assert/strict'
import type { OrderRequest } from '#domain/order.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
import { ScriptedBroker } from './scripted-broker.ts'

const oco = (fields: Partial<OrderRequest> = {}): OrderRequest =>
  orderRequest({
    side: 'SELL',
    quantity: '10',
    orderType: 'oco',
    limitPrice: '110',
    stopPrice: '95',
    ...fields,
  })

describe('the scripted broker', () => {
  for (const [price, part] of [
    ['112', 0],
    ['94', 1],
  ] as const)
    it(`the scripted broker fills part ${part} of an oco when the market trades at ${price}, and the other never`, async () => {
      const broker = new ScriptedBroker()
      const { links } = await broker.submitOrder(oco())
      broker.tradeAt('100')
      broker.tradeAt(price, '4')
      broker.tradeAt(price)
      broker.tradeAt(part === 0 ? '94' : '112')
      assert.deepEqual(
        broker.fills.map((fill) => [fill.brokerOrderId, fill.quantity, fill.price]),
        [
          [links![part]!.brokerOrderId, '4', price],
          [links![part]!.brokerOrderId, '6', price],
        ],
      )
    })

  it('the scripted broker lets the stop of an oco be moved, and knows the order by each of its ids', async () => {
    const broker = new ScriptedBroker()
    const { brokerOrderId } = await broker.submitOrder(oco())
    await broker.changeOrder(brokerOrderId, { stopPrice: '99' })
    await broker.changeOrder(brokerOrderId, { stopPrice: '99' })
    const [filled] = broker.tradeAt('98.5')
    assert.deepEqual([filled?.status, filled?.avgFillPrice, filled?.links?.length], ['FILLED', '98.5', 3])
    for (const link of filled!.links!)
      assert.equal((await broker.getOrder(link.brokerOrderId))?.clientOrderId, filled!.clientOrderId)
  })

  it('the scripted broker fills a trailing stop at its distance from the best price', async () => {
    const broker = new ScriptedBroker()
    await broker.submitOrder(
      oco({ orderType: 'trailingStop', limitPrice: null, stopPrice: null, trail: { percent: '5' } }),
    )
    for (const price of ['100', '120', '114.1'] as const) assert.deepEqual(broker.tradeAt(price), [])
    assert.equal(broker.tradeAt('114')[0]?.avgFillPrice, '114')
  })
})
