import assert from 'node:assert/strict'
import { ORDER_SIDES, type OrderSide, type OrderStatus } from '#domain/order/order.ts'
import { ALPACA_STATUSES, type AlpacaStatus } from '#brokers/alpaca/wire.ts'
import { BrokerBusy, BrokerOutcomeUnknown, type Broker } from '#brokers/port.ts'
import { alpacaOrder, alpacaRejections } from './alpaca-answers.ts'
import { orderRequest } from './order-requests.ts'
import { connectAlpaca, json, useScriptedServer, type ScriptedServer } from './scripted-server.ts'
import { pluck } from '#test/support/pluck.ts'

describe('Alpaca adapter: orders', () => {
  let server: ScriptedServer
  let broker: Broker
  useScriptedServer((given) => {
    server = given
    broker = connectAlpaca(`${server.url}/v2/`)
  })

  /** Answers as a broker that holds these orders; a deletion of any but an open one is answered 422. */
  const holdOrders = (...orders: ReturnType<typeof alpacaOrder>[]) =>
    server.answerBy(({ method, path }) => {
      const order = orders.find(({ id }) => path.split('?')[0] === `/v2/orders/${id}`)
      if (method === 'DELETE')
        return order?.status === 'new' ? json(204, null) : json(422, alpacaRejections.notCancelable)
      if (path.startsWith('/v2/orders?')) return json(200, orders)
      return order ? json(200, order) : json(404, alpacaRejections.notFound)
    })

  describe('a submission', () => {
    const submitted = async (fields: Parameters<typeof orderRequest>[0]) => {
      server.answerBy(({ body }) => json(200, alpacaOrder(JSON.parse(body))))
      const request = orderRequest(fields)
      const report = await broker.submitOrder(request)
      return { request, report, received: server.received[0]! }
    }

    it('a submission of a market order carries the required fields and no others', async () => {
      const { request, received } = await submitted({})
      assert.equal(received.method, 'POST')
      assert.equal(received.path, '/v2/orders')
      assert.equal(received.headers['apca-api-key-id'], 'KEY')
      assert.equal(received.headers['apca-api-secret-key'], 'SECRET')
      assert.deepEqual(JSON.parse(received.body), {
        client_order_id: request.clientOrderId,
        symbol: 'AAPL',
        qty: '1',
        type: 'market',
        time_in_force: 'day',
        side: 'buy',
        position_intent: 'buy_to_open',
      })
    })

    it('a submission of a stop limit order outside regular hours carries both prices and says so', async () => {
      const { received, report } = await submitted({
        orderType: 'stopLimit',
        stopPrice: '9.5',
        limitPrice: '9.25',
        extendedHours: true,
        timeInForce: 'gtc',
        quantity: '0.000000001',
      })
      const body = JSON.parse(received.body) as Record<string, unknown>
      assert.deepEqual(
        [body['type'], body['stop_price'], body['limit_price'], body['extended_hours'], body['qty']],
        ['stop_limit', '9.5', '9.25', true, '0.000000001'],
      )
      assert.equal(report.orderType, 'stopLimit')
      assert.equal(report.extendedHours, true)
      assert.equal(report.quantity, '0.000000001')
    })

    const wire: Record<OrderSide, string> = {
      BUY: 'buy buy_to_open',
      SELL: 'sell sell_to_close',
      SELL_SHORT: 'sell sell_to_open',
      BUY_TO_COVER: 'buy buy_to_close',
    }
    for (const side of ORDER_SIDES) {
      it(`a submission of side ${side} says ${wire[side]} and is read back as ${side}`, async () => {
        const { received, report } = await submitted({ side })
        const body = JSON.parse(received.body) as Record<string, unknown>
        assert.equal(`${String(body['side'])} ${String(body['position_intent'])}`, wire[side])
        assert.equal(report.side, side)
      })
    }

    it('a submission with gtd is a programming error and sends nothing', async () => {
      await assert.rejects(broker.submitOrder(orderRequest({ timeInForce: 'gtd' })), TypeError)
      assert.equal(server.received.length, 0)
    })
  })

  describe('a report', () => {
    const reported = async (fields: Record<string, unknown>) => {
      const order = alpacaOrder(fields)
      holdOrders(order)
      return (await broker.getOrder(order.id))!
    }

    it('reads every field, with instants in UTC and decimals in their shortest form', async () => {
      assert.deepEqual(
        await reported({
          status: 'partially_filled',
          qty: '15.00',
          filled_qty: '4.50',
          filled_avg_price: '107.4900',
          filled_at: '2026-03-16T14:38:02.5-04:00',
        }),
        {
          brokerOrderId: '7c2e8a51-9d0f-4a3b-8e6c-15b0a4d2f973',
          clientOrderId: '0f9b1c5e-4a77-4c3d-9f0e-2f8f6f1f7a10-e1',
          symbol: 'AAPL',
          side: 'BUY',
          quantity: '15',
          orderType: 'limit',
          limitPrice: '107.5',
          stopPrice: null,
          timeInForce: 'day',
          extendedHours: false,
          status: 'PARTIALLY_FILLED',
          filledQuantity: '4.5',
          avgFillPrice: '107.49',
          reason: null,
          submittedAt: '2026-03-16T18:38:01.937Z',
          filledAt: '2026-03-16T18:38:02.500Z',
          endedAt: null,
          changedAt: '2026-03-16T18:38:01.942Z',
        },
      )
    })

    const endInstants = [
      ['filled', { filled_at: '2026-03-16T18:40:00Z' }],
      ['canceled', { canceled_at: '2026-03-16T18:40:00Z', filled_at: '2026-03-16T18:38:00Z' }],
      ['expired', { expired_at: '2026-03-16T18:40:00Z' }],
      ['rejected', { failed_at: '2026-03-16T18:40:00Z' }],
    ] as const
    for (const [status, instants] of endInstants) {
      it(`a report of a ${status} order says when it ended`, async () =>
        assert.equal((await reported({ status, ...instants })).endedAt, '2026-03-16T18:40:00.000Z'))
    }

    it('keeps the reason that comes with a rejection', async () => {
      assert.equal((await reported({ status: 'rejected', reject_reason: 'halted' })).reason, 'halted')
    })

    it('takes a buy without a position intent for BUY and a sale for SELL', async () => {
      assert.equal((await reported({ position_intent: undefined })).side, 'BUY')
      assert.equal((await reported({ position_intent: null, side: 'sell' })).side, 'SELL')
    })

    /** The status of an order with nothing, a part and everything filled. */
    const statuses: Record<Exclude<AlpacaStatus, 'replaced'>, [OrderStatus, OrderStatus, OrderStatus]> = {
      accepted: ['PENDING', 'PENDING', 'PENDING'],
      pending_new: ['PENDING', 'PENDING', 'PENDING'],
      accepted_for_bidding: ['PENDING', 'PENDING', 'PENDING'],
      held: ['PENDING', 'PENDING', 'PENDING'],
      new: ['OPEN', 'PARTIALLY_FILLED', 'PARTIALLY_FILLED'],
      partially_filled: ['PARTIALLY_FILLED', 'PARTIALLY_FILLED', 'PARTIALLY_FILLED'],
      pending_cancel: ['OPEN', 'PARTIALLY_FILLED', 'PARTIALLY_FILLED'],
      pending_replace: ['OPEN', 'PARTIALLY_FILLED', 'PARTIALLY_FILLED'],
      stopped: ['OPEN', 'PARTIALLY_FILLED', 'PARTIALLY_FILLED'],
      suspended: ['OPEN', 'PARTIALLY_FILLED', 'PARTIALLY_FILLED'],
      done_for_day: ['OPEN', 'PARTIALLY_FILLED', 'PARTIALLY_FILLED'],
      calculated: ['OPEN', 'PARTIALLY_FILLED', 'FILLED'],
      filled: ['FILLED', 'FILLED', 'FILLED'],
      expired: ['EXPIRED', 'EXPIRED', 'EXPIRED'],
      rejected: ['REJECTED', 'REJECTED', 'REJECTED'],
      canceled: ['CANCELLED', 'CANCELLED', 'CANCELLED'],
    }
    for (const status of ALPACA_STATUSES) {
      if (status === 'replaced') continue
      it(`a report of a day order that is ${status} is ${[...new Set(statuses[status])].join(' or ')}`, async () => {
        const fills = ['0', '6', '15']
        for (const [index, filled_qty] of fills.entries()) {
          assert.equal((await reported({ status, filled_qty })).status, statuses[status][index], filled_qty)
        }
      })
    }

    const ends: [timeInForce: string, cancelRequestedAt: string | null | undefined, OrderStatus][] = [
      ['ioc', null, 'CANCELLED'],
      ['fok', undefined, 'CANCELLED'],
      ['opg', undefined, 'EXPIRED'],
      ['cls', null, 'EXPIRED'],
      ['cls', '2026-03-16T18:40:00Z', 'CANCELLED'],
      ['gtc', undefined, 'CANCELLED'],
      ['day', null, 'CANCELLED'],
    ]
    for (const [time_in_force, cancel_requested_at, expected] of ends) {
      it(`a report of a canceled ${time_in_force} order with cancel request ${cancel_requested_at} is ${expected}`, async () => {
        const report = await reported({ status: 'canceled', time_in_force, cancel_requested_at })
        assert.equal(report.status, expected)
      })
    }
  })

  describe('an order that a person replaced', () => {
    const first = alpacaOrder({ id: 'first', status: 'replaced', replaced_by: 'second', filled_qty: '2' })
    const second = alpacaOrder({
      id: 'second',
      client_order_id: 'made-by-alpaca',
      status: 'new',
      replaces: 'first',
      limit_price: '108',
      submitted_at: '2026-03-16T19:00:00Z',
    })

    for (const id of ['first', 'second']) {
      it(`an order that a person replaced is one order when asked for as the ${id}`, async () => {
        holdOrders(first, second)
        const report = (await broker.getOrder(id))!
        assert.equal(report.brokerOrderId, 'second')
        assert.equal(report.clientOrderId, first.client_order_id)
        assert.equal(report.limitPrice, '108')
        assert.equal(report.submittedAt, '2026-03-16T18:38:01.937Z')
      })
    }

    it('an order that a person replaced never has less filled than before', async () => {
      holdOrders(first, second)
      const report = (await broker.getOrder('first'))!
      assert.equal(report.filledQuantity, '2')
      assert.equal(report.status, 'PARTIALLY_FILLED')
    })

    it('an order that a person replaced is listed once', async () => {
      holdOrders(second, first)
      const reports = await broker.listOrders({ status: 'all' })
      assert.deepEqual(pluck(reports, 'clientOrderId'), [first.client_order_id])
    })

    it('an order that a person replaced is unchanged when the replacement came too late', async () => {
      const filled = alpacaOrder({ id: 'first', status: 'filled', filled_qty: '15', filled_avg_price: '107' })
      holdOrders(filled, alpacaOrder({ ...second, status: 'rejected' }))
      const report = (await broker.getOrder('second'))!
      assert.equal(report.brokerOrderId, 'first')
      assert.equal(report.status, 'FILLED')
    })

    it('an order that a person replaced is an error when the chain has no end', async () => {
      holdOrders(first, alpacaOrder({ id: 'second', status: 'replaced', replaced_by: 'first' }))
      await assert.rejects(broker.getOrder('first'), BrokerOutcomeUnknown)
    })

    it('an order that a person replaced is an error when its successor is not named', async () => {
      holdOrders(alpacaOrder({ id: 'first', status: 'replaced' }))
      await assert.rejects(broker.getOrder('first'), BrokerOutcomeUnknown)
    })
  })

  describe('a cancel that is answered 422', () => {
    const cancelled = (fields: Record<string, unknown>) => {
      holdOrders(alpacaOrder({ id: 'one', ...fields }))
      return broker.cancelOrder('one')
    }
    it('a cancel that is answered 422 is too late for an order that has ended', async () => {
      assert.equal(await cancelled({ status: 'filled', filled_qty: '15' }), 'too_late')
      assert.equal(await cancelled({ status: 'expired' }), 'too_late')
    })
    it('a cancel that is answered 422 has been requested when a cancel is pending', async () => {
      assert.equal(await cancelled({ status: 'pending_cancel' }), 'requested')
    })
    it('a cancel that is answered 422 must be repeated while the order is being replaced', async () => {
      await assert.rejects(cancelled({ status: 'pending_replace' }), BrokerBusy)
    })
    it('cancels the successor of an order that was replaced', async () => {
      const two = alpacaOrder({ id: 'two', status: 'new', replaces: 'one' })
      holdOrders(alpacaOrder({ id: 'one', status: 'replaced', replaced_by: 'two' }), two)
      assert.equal(await broker.cancelOrder('one'), 'requested')
      assert.deepEqual(
        pluck(
          server.received.filter(({ method }) => method === 'DELETE'),
          'path',
        ),
        ['/v2/orders/one', '/v2/orders/two'],
      )
    })
  })

  describe('a list', () => {
    it('leaves out kinds of order that are never placed by us', async () => {
      holdOrders(
        alpacaOrder({ id: 'legs', order_class: 'mleg', symbol: '', client_order_id: 'b' }),
        alpacaOrder({ id: 'dollars', qty: null, notional: '50', client_order_id: 'c' }),
        alpacaOrder({ id: 'plain', client_order_id: 'd' }),
      )
      const reports = await broker.listOrders({ status: 'open' })
      assert.deepEqual(pluck(reports, 'brokerOrderId'), ['plain'])
    })

    it('leaves out an order that cannot be read, and no other; asked for by its id it is an error', async () => {
      holdOrders(
        alpacaOrder({ id: 'strange', status: 'pondering', client_order_id: 'a' }),
        alpacaOrder({ id: 'undated', time_in_force: 'gtd', client_order_id: 'b' }),
        alpacaOrder({ id: 'plain', client_order_id: 'c' }),
      )
      const reports = await broker.listOrders({ status: 'open' })
      assert.deepEqual(pluck(reports, 'brokerOrderId'), ['plain'])
      await assert.rejects(broker.getOrder('strange'), BrokerOutcomeUnknown)
    })

    it('turns pages until the last, and loses nothing that shares an instant', async () => {
      // 1,203 orders, seven at each millisecond, newest first: pages end in the middle of one.
      const start = Date.parse('2026-03-16T14:00:00Z')
      const all = Array.from({ length: 1_203 }, (_, index) => {
        const submitted_at = new Date(start - Math.floor(index / 7)).toISOString()
        return alpacaOrder({ id: `o${index}`, client_order_id: `c${index}`, submitted_at })
      })
      server.answerBy(({ path }) => {
        const query = new URL(path, server.url).searchParams
        const until = query.get('until') ?? '9999'
        return json(
          200,
          all.filter((order) => order.submitted_at < until).slice(0, Number(query.get('limit'))),
        )
      })
      const reports = await broker.listOrders({ status: 'closed' })
      assert.equal(new Set(reports.map(({ brokerOrderId }) => brokerOrderId)).size, 1_203)
      assert.equal(reports[0]?.brokerOrderId, 'o0')
      assert.equal((await broker.listOrders({ status: 'closed', limit: 7 })).length, 7)
    })

    it('a list of all since an instant includes orders that are older and still open', async () => {
      const old = alpacaOrder({ id: 'old', client_order_id: 'old', submitted_at: '2026-01-02T15:00:00Z' })
      const young = alpacaOrder({ id: 'young', client_order_id: 'young' })
      server.answerBy(({ path }) => json(200, path.includes('status=open') ? [old] : [young]))
      const reports = await broker.listOrders({ status: 'all', after: '2026-03-16T00:00:00Z' })
      assert.deepEqual(pluck(reports, 'brokerOrderId'), ['young', 'old'])
    })
  })
})
