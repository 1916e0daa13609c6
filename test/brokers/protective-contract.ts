import assert from 'node:assert/strict'
import type { Broker, OrderChange } from '#brokers/port.ts'
import { add, type Decimal } from '#domain/money/decimal.ts'
import { brokerIdsOf, type OrderReport, type OrderRequest } from '#domain/order/order.ts'

/** What the tests of protective orders need of the broker under test; its price is 100 at first. */
export interface ProtectiveDesk {
  broker(): Broker
  setPrice(price: Decimal): Promise<void>
  order(fields: Partial<OrderRequest>): OrderRequest
  buy(quantity: Decimal): Promise<OrderReport>
  ended(clientOrderId: string): Promise<OrderReport>
  eventually<T>(what: string, look: () => Promise<T | null | false | undefined>): Promise<T>
}

/** Orders of exit plans, and orders that are changed while they work. */
export function describeProtectiveOrders(desk: ProtectiveDesk): void {
  const { order, buy, ended, eventually } = desk
  const sale = (fields: Partial<OrderRequest>) =>
    order({ side: 'SELL', quantity: '4', timeInForce: 'gtc', ...fields })
  const oco = (fields: Partial<OrderRequest> = {}) =>
    sale({ orderType: 'oco', limitPrice: '110', stopPrice: '90', ...fields })
  const trailing = (percent: Decimal) => sale({ orderType: 'trailingStop', trail: { percent } })

  /** Buys, and sends the order once the shares are there. */
  const protect = async (request: OrderRequest): Promise<OrderReport> => {
    await buy('4')
    await desk.broker().submitOrder(request)
    return eventually('the order at the market', async () => {
      const report = await desk.broker().findOrder(request.clientOrderId)
      return report?.status === 'OPEN' && report
    })
  }
  const change = (clientOrderId: string, to: OrderChange) =>
    eventually(`the order with ${JSON.stringify(to)}`, async () => {
      const { brokerOrderId } = (await desk.broker().findOrder(clientOrderId))!
      assert.equal(await desk.broker().changeOrder(brokerOrderId, to), 'requested')
      const report = (await desk.broker().findOrder(clientOrderId))!
      const isSo = Object.entries(to).every(
        ([field, value]) => JSON.stringify(report[field as keyof OrderReport]) === JSON.stringify(value),
      )
      return isSo && report.status === 'OPEN' && report
    })
  /** Shares that were executed under ids of the order, by id. */
  const executed = (report: OrderReport) =>
    eventually('the executions', async () => {
      const { fills } = await desk.broker().listFills('2020-01-01T00:00:00Z')
      const own = fills.filter(({ brokerOrderId }) => brokerIdsOf(report).includes(brokerOrderId ?? ''))
      const sum = own.map(({ quantity }) => quantity).reduce<Decimal>(add, '0')
      return sum === report.filledQuantity && [...new Set(own.map(({ brokerOrderId }) => brokerOrderId))]
    })

  describe('protecting a position', () => {
    for (const [price, part] of [
      ['111', 'target'],
      ['89', 'stop'],
    ] as const)
      it(`an oco is one order, which its ${part} fills at ${price}`, async () => {
        const open = await protect(oco())
        const [listed, ...others] = await desk.broker().listOrders({ status: 'open' })
        assert.deepEqual([listed?.clientOrderId, others.length], [open.clientOrderId, 0])
        const ids = brokerIdsOf(open)
        for (const id of ids)
          assert.equal((await desk.broker().getOrder(id))?.clientOrderId, open.clientOrderId)
        await desk.setPrice(price)
        const filled = await ended(open.clientOrderId)
        assert.deepEqual([filled.status, filled.filledQuantity, filled.quantity], ['FILLED', '4', '4'])
        assert.deepEqual(await executed(filled), [part === 'target' ? ids[0] : ids.at(-1)])
      })

    it('an oco that is cancelled leaves none of its parts', async () => {
      const { brokerOrderId, clientOrderId } = await protect(oco())
      assert.equal(await desk.broker().cancelOrder(brokerOrderId), 'requested')
      assert.equal((await ended(clientOrderId)).status, 'CANCELLED')
      assert.deepEqual(await desk.broker().listOrders({ status: 'open' }), [])
      assert.equal(await desk.broker().cancelOrder(brokerOrderId), 'too_late')
    })

    it('a stop and a target of an oco are moved while it works', async () => {
      const { clientOrderId, brokerOrderId } = await protect(oco())
      await change(clientOrderId, { stopPrice: '95' })
      await change(clientOrderId, { limitPrice: '112' })
      const moved = await change(clientOrderId, { stopPrice: '97', limitPrice: '112' })
      assert.equal(await desk.broker().changeOrder(brokerOrderId, { quantity: '3' }), 'refused')
      for (const id of [brokerOrderId, ...brokerIdsOf(moved)])
        assert.equal((await desk.broker().getOrder(id))?.clientOrderId, clientOrderId)
      await desk.setPrice('96')
      const filled = await ended(clientOrderId)
      assert.equal(filled.status, 'FILLED')
      assert.deepEqual(await executed(filled), [brokerIdsOf(moved).at(-1)])
      assert.equal(await desk.broker().changeOrder(brokerOrderId, { stopPrice: '98' }), 'too_late')
    })

    it('a trailing stop follows the price, at another distance once that is changed', async () => {
      const { clientOrderId } = await protect(trailing('10'))
      await change(clientOrderId, { trail: { percent: '5' } })
      await desk.setPrice('120')
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.equal((await desk.broker().findOrder(clientOrderId))?.status, 'OPEN')
      await desk.setPrice('113')
      assert.equal((await ended(clientOrderId)).status, 'FILLED')
    })

    it('the stream reports an oco as one order, by whichever part', async () => {
      const stop = new AbortController()
      const heard: OrderReport[] = []
      const isReady = Promise.withResolvers<void>()
      const streamed = desk
        .broker()
        .streamOrders(
          { onReady: () => isReady.resolve(), onReport: (report) => heard.push(report) },
          stop.signal,
        )
      await Promise.race([isReady.promise, streamed])
      const { clientOrderId } = await protect(oco())
      const before = heard.length
      await desk.setPrice('89')
      await eventually('the fill', async () => heard.at(-1)?.status === 'FILLED')
      assert.deepEqual(
        [...new Set(heard.slice(before).map((report) => report.clientOrderId))],
        [clientOrderId],
      )
      stop.abort()
      await streamed
    })
  })
}
