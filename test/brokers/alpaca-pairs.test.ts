import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { BrokerBusy, BrokerOutcomeUnknown, type Broker } from '#brokers/port.ts'
import { clientOrderIdFor, type OrderStatus } from '#domain/order/order.ts'
import { alpacaOrder, alpacaRejections } from './alpaca-answers.ts'
import { orderRequest } from './order-requests.ts'
import {
  connectAlpaca,
  json,
  useScriptedServer,
  type ReceivedRequest,
  type ScriptedServer,
} from './scripted-server.ts'

type Fields = Record<string, unknown> & { id: string }

const OURS = clientOrderIdFor(randomUUID(), 'plan', 2)
const START = Date.parse('2026-03-16T14:00:00Z')
const at = (ms: number): string => new Date(START + ms).toISOString()

/** Orders as Alpaca keeps them, of which the target of a pair has the ids of its stops in `of`. */
class Books {
  readonly orders = new Map<string, Fields>()
  readonly of = new Map<string, string[]>()
  #made = 0

  add(fields: Fields): Fields {
    const created = at(this.orders.size * 10)
    const times = { created_at: created, submitted_at: created, updated_at: created }
    const order = alpacaOrder({ client_order_id: randomUUID(), status: 'new', ...times, ...fields }) as Fields
    this.orders.set(order.id, order)
    return order
  }

  set(id: string, fields: Record<string, unknown>): void {
    Object.assign(this.orders.get(id)!, fields)
  }

  /** A pair of target and stop. */
  pair(fields: Record<string, unknown> = {}, stop: Record<string, unknown> = {}): void {
    const both = { order_class: 'oco', side: 'sell', position_intent: 'sell_to_close', qty: '15' }
    this.add({ id: 'target', client_order_id: OURS, ...both, limit_price: '110', ...fields })
    this.add({
      id: 'stop',
      ...both,
      type: 'stop',
      limit_price: null,
      stop_price: '95',
      status: 'held',
      ...stop,
    })
    this.of.set('target', ['stop'])
  }

  /** Replaces an order by another, as a person or a program does. */
  replace(id: string, fields: Record<string, unknown> = {}): Fields {
    this.#made += 1
    const before = this.orders.get(id)!
    const after = this.add({
      ...before,
      client_order_id: randomUUID(),
      replaces: id,
      filled_qty: '0',
      created_at: at(1_000 + this.#made),
      submitted_at: at(1_000 + this.#made),
      updated_at: at(1_000 + this.#made),
      ...fields,
      id: `${id.split('~')[0]}~${this.#made}`,
    })
    this.set(id, { status: 'replaced', replaced_by: after.id })
    for (const stops of this.of.values()) if (stops.includes(id)) stops.push(after.id)
    if (this.of.has(id)) this.of.set(after.id, this.of.get(id)!)
    return after
  }

  show(order: Fields, nested: boolean): Fields {
    const legs = nested && this.of.get(order.id)?.map((id) => this.orders.get(id))
    return { ...order, legs: legs || null }
  }

  answer({ method, path, body }: ReceivedRequest): ReturnType<typeof json> {
    const { pathname, searchParams: query } = new URL(path, 'http://broker')
    const nested = query.get('nested') === 'true'
    const named = this.orders.get(pathname.split('/')[3] ?? '')
    if (method === 'DELETE')
      return named?.['status'] === 'new' ? json(204, null) : json(422, alpacaRejections.notCancelable)
    if (method === 'PATCH') {
      if (!named || !['new', 'held'].includes(String(named['status'])))
        return json(422, alpacaRejections.malformed)
      const { trail, ...fields } = JSON.parse(body) as Record<string, unknown>
      return json(
        200,
        this.replace(named.id, { ...fields, ...(trail !== undefined && { trail_percent: trail }) }),
      )
    }
    if (pathname === '/v2/orders') {
      const inside = nested ? new Set([...this.of.values()].flat()) : new Set()
      const after = query.get('after')
      const found = [...this.orders.values()]
        .filter(({ id, submitted_at }) => !inside.has(id) && (after === null || String(submitted_at) > after))
        .toSorted((a, b) => String(a['submitted_at']).localeCompare(String(b['submitted_at'])))
      if (query.get('direction') === 'desc') found.reverse()
      return json(
        200,
        found.slice(0, Number(query.get('limit'))).map((order) => this.show(order, nested)),
      )
    }
    const byName = [...this.orders.values()].find(
      (order) => order['client_order_id'] === query.get('client_order_id'),
    )
    const order = pathname === '/v2/orders:by_client_order_id' ? byName : named
    return order ? json(200, this.show(order, nested)) : json(404, alpacaRejections.notFound)
  }
}

describe('Alpaca adapter: target and stop in one, and stops that follow the price', () => {
  let server: ScriptedServer
  let broker: Broker
  let books: Books
  const connect = () => connectAlpaca(server.url)
  useScriptedServer((given) => {
    books = new Books()
    server = given
    server.answerBy((request) => books.answer(request))
    broker = connect()
  })
  const patches = () =>
    server.received
      .filter(({ method }) => method === 'PATCH')
      .map(({ path, body }) => {
        const { client_order_id: name, ...fields } = JSON.parse(body) as Record<string, unknown>
        assert.match(String(name), new RegExp(`^${OURS}\\.[0-9a-z]{1,5}$`))
        return [path.split('/').at(-1), fields]
      })

  it('an oco is submitted with both its prices, and is one report with the ids of both parts', async () => {
    server.answerWith((request, response, socket) => {
      const body = JSON.parse(request.body) as Record<string, unknown>
      const stop = alpacaOrder({
        id: 'stop',
        order_class: 'oco',
        type: 'stop',
        limit_price: null,
        stop_price: '95',
      })
      json(200, alpacaOrder({ ...body, id: 'target', limit_price: '110', legs: [stop] }))(
        request,
        response,
        socket,
      )
    })
    const request = orderRequest({
      clientOrderId: OURS,
      side: 'SELL',
      quantity: '15',
      orderType: 'oco',
      timeInForce: 'gtc',
      limitPrice: '110',
      stopPrice: '95',
      stopLimitPrice: '94',
    })
    const report = await broker.submitOrder(request)
    assert.deepEqual(JSON.parse(server.received[0]!.body), {
      client_order_id: OURS,
      symbol: 'AAPL',
      qty: '15',
      type: 'limit',
      time_in_force: 'gtc',
      order_class: 'oco',
      take_profit: { limit_price: '110' },
      stop_loss: { stop_price: '95', limit_price: '94' },
      side: 'sell',
      position_intent: 'sell_to_close',
    })
    assert.deepEqual(
      [report.orderType, report.limitPrice, report.stopPrice, report.quantity, report.links],
      [
        'oco',
        '110',
        '95',
        '15',
        [
          { brokerOrderId: 'target', filledQuantity: '0' },
          { brokerOrderId: 'stop', filledQuantity: '0' },
        ],
      ],
    )
  })

  it('an oco that was accepted is never reported to have failed because its parts cannot be looked up', async () => {
    server.answerBy(({ method }) =>
      method === 'POST'
        ? json(200, alpacaOrder({ client_order_id: OURS, order_class: 'oco' }))
        : json(429, alpacaRejections.rateLimit),
    )
    await assert.rejects(
      broker.submitOrder(orderRequest({ clientOrderId: OURS, orderType: 'oco' })),
      BrokerOutcomeUnknown,
    )
  })

  it('a trailing stop is submitted with its trail, and has no stop price in the report', async () => {
    server.answerBy(({ body }) =>
      json(200, alpacaOrder({ ...JSON.parse(body), stop_price: '97.5', hwm: '100' })),
    )
    for (const [trail, field] of [
      [{ percent: '2.5' }, 'trail_percent'],
      [{ amount: '1.25' }, 'trail_price'],
    ] as const) {
      const report = await broker.submitOrder(orderRequest({ orderType: 'trailingStop', trail }))
      const body = JSON.parse(server.received.at(-1)!.body) as Record<string, unknown>
      assert.deepEqual([body['type'], body[field]], ['trailing_stop', Object.values(trail)[0]])
      assert.deepEqual([report.orderType, report.trail, report.stopPrice], ['trailingStop', trail, null])
    }
  })

  const filled = (quantity: string) => ({
    filled_qty: quantity,
    filled_avg_price: '100',
    filled_at: at(5_000),
  })
  const FILLED = { status: 'filled', ...filled('15') }
  const CANCELLED = { status: 'canceled' }
  const CASES: [name: string, target: object, stop: object, status: OrderStatus, filled: string][] = [
    ['that works is open', {}, {}, 'OPEN', '0'],
    ['whose target has filled is filled, the stop still there', FILLED, {}, 'FILLED', '15'],
    ['whose target has filled is filled, the stop cancelled', FILLED, CANCELLED, 'FILLED', '15'],
    ['whose stop has filled is filled', CANCELLED, FILLED, 'FILLED', '15'],
    ['whose target was cancelled works while its stop does', CANCELLED, { status: 'new' }, 'OPEN', '0'],
    [
      'whose part has filled works for the rest',
      { status: 'partially_filled', ...filled('6') },
      { qty: '9' },
      'PARTIALLY_FILLED',
      '6',
    ],
    [
      'whose parts have filled together is filled',
      { status: 'canceled', ...filled('6') },
      { status: 'filled', qty: '9', ...filled('9') },
      'FILLED',
      '15',
    ],
    ['that was cancelled is cancelled', CANCELLED, CANCELLED, 'CANCELLED', '0'],
    [
      'that was cancelled in part is cancelled',
      { status: 'canceled', ...filled('6') },
      { status: 'canceled', qty: '9' },
      'CANCELLED',
      '6',
    ],
    ['whose day has ended has expired', { status: 'expired' }, CANCELLED, 'EXPIRED', '0'],
    [
      'whose stop was rejected is rejected',
      CANCELLED,
      { status: 'rejected', reject_reason: 'halted' },
      'REJECTED',
      '0',
    ],
  ]
  for (const [name, target, stop, status, quantity] of CASES)
    it(`an oco ${name}`, async () => {
      books.pair(target as Fields, stop as Fields)
      const report = (await broker.getOrder('target'))!
      assert.deepEqual([report.status, report.filledQuantity, report.quantity], [status, quantity, '15'])
    })

  it('an oco whose stop has ended by itself is called back once, and is cancelled then; that of a person is left alone', async () => {
    const deleted = () =>
      server.received.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').at(-1))
    books.pair({}, { status: 'rejected' })
    assert.equal((await broker.getOrder('target'))!.status, 'OPEN')
    await broker.getOrder('target')
    assert.deepEqual(deleted(), ['target'])
    books.set('target', { status: 'canceled' })
    assert.equal((await broker.getOrder('target'))!.status, 'REJECTED')
    // What the target has sold of it does not protect the rest.
    books.pair({ status: 'partially_filled', ...filled('6') }, { status: 'canceled', qty: '9' })
    assert.equal((await connect().getOrder('target'))!.status, 'PARTIALLY_FILLED')
    assert.deepEqual(deleted(), ['target', 'target'])
    books.pair({ client_order_id: randomUUID() }, { status: 'canceled' })
    await connect().getOrder('target')
    assert.equal(deleted().length, 2)
  })

  it('an oco is found by its name, and by the id of its stop, and is listed once', async () => {
    books.pair()
    const [listed, ...others] = await broker.listOrders({ status: 'open' })
    assert.equal(others.length, 0)
    for (const ask of [
      (b: Broker) => b.findOrder(OURS),
      (b: Broker) => b.getOrder('stop'),
      (b: Broker) => b.getOrder('target'),
    ])
      for (const each of [connect(), broker]) assert.deepEqual(await ask(each), listed)
  })

  it('an oco is known by its stop in two requests, once it has been seen', async () => {
    books.pair()
    await broker.getOrder('target')
    server.received.length = 0
    await broker.getOrder('stop')
    assert.equal(server.received.length, 2)
  })

  it('a bracket, an order of a person that is part of none, and a trailing stop are listed each by itself', async () => {
    const bracket = { order_class: 'bracket', qty: '15' }
    books.add({ id: 'entry', ...bracket, status: 'filled' })
    books.add({ id: 'profit', ...bracket, side: 'sell' })
    books.add({
      id: 'loss',
      ...bracket,
      side: 'sell',
      type: 'stop',
      stop_price: '90',
      limit_price: null,
      status: 'held',
    })
    books.of.set('entry', ['profit', 'loss'])
    books.add({ id: 'trail', type: 'trailing_stop', trail_percent: '5', limit_price: null })
    books.add({ id: 'stray', order_class: 'oco', type: 'stop', limit_price: null, stop_price: '80' })
    const reports = await broker.listOrders({ status: 'open' })
    assert.deepEqual(reports.map(({ brokerOrderId }) => brokerOrderId).toSorted(), [
      'entry',
      'loss',
      'profit',
      'stray',
      'trail',
    ])
  })

  it('a stop that was moved a thousand times is read in a few requests, from its first id and from its last', async () => {
    books.add({ id: 'one', client_order_id: OURS, type: 'stop', limit_price: null, stop_price: '90' })
    let last = 'one'
    for (let move = 1; move <= 1_000; move++)
      last = books.replace(last, {
        stop_price: String(90 + move / 100),
        client_order_id: `${OURS}.${move}`,
      }).id
    const first = await broker.getOrder('one')
    assert.deepEqual([first?.brokerOrderId, first?.stopPrice, first?.links?.length], [last, '100', 1_001])
    assert.ok(server.received.length <= 7, `${server.received.length} requests`)
    for (const [id, other, most] of [
      ['one', broker, 2],
      [last, connect(), 1],
      [`one~990`, connect(), 6],
    ] as const) {
      server.received.length = 0
      const report = await other.getOrder(id)
      assert.deepEqual([report?.clientOrderId, report?.brokerOrderId], [OURS, last])
      assert.ok(server.received.length <= most, `${server.received.length} requests for ${id}`)
    }
  })

  describe('a change', () => {
    it('a change of a stop moves it under a name of ours, once', async () => {
      books.add({ id: 'one', client_order_id: OURS, type: 'stop', limit_price: null, stop_price: '90' })
      assert.equal(await broker.changeOrder('one', { stopPrice: '91' }), 'requested')
      assert.equal(await broker.changeOrder('one', { stopPrice: '91.00' }), 'requested')
      assert.equal(await connect().changeOrder('one', { stopPrice: '91' }), 'requested')
      assert.deepEqual(patches(), [['one', { stop_price: '91' }]])
      const { clientOrderId, changedBy } = (await broker.getOrder('one'))!
      assert.deepEqual([clientOrderId, changedBy], [OURS, 'us'])
    })

    it('a change that was made elsewhere is reported as such, and ours on top of it is not', async () => {
      books.pair()
      books.replace('stop', { stop_price: '96' })
      assert.equal((await broker.getOrder('target'))?.changedBy, 'others')
      await broker.changeOrder('target', { stopPrice: '97' })
      assert.equal((await broker.getOrder('target'))?.changedBy, 'us')
    })

    it('a change of a stop that was moved before, and a look at it, take four requests', async () => {
      books.add({ id: 'one', client_order_id: OURS, type: 'stop', limit_price: null, stop_price: '90' })
      await broker.changeOrder('one', { stopPrice: '91' })
      await broker.getOrder('one')
      server.received.length = 0
      await broker.changeOrder('one', { stopPrice: '92' })
      assert.equal((await broker.getOrder('one'))?.stopPrice, '92')
      assert.equal(server.received.length, 4)
    })

    it('a change of an oco is permitted part by part, and nothing more is sent where it is not', async () => {
      books.pair()
      const leaves = (asked: number) => async () => {
        if ((asked -= 1) < 0) throw new Error('overtaken')
        return () => {}
      }
      const change = { stopPrice: '97', limitPrice: '111' } as const
      for (const [asked, sent] of [0, 1].entries()) {
        await assert.rejects(broker.changeOrder('target', change, leaves(asked)), /overtaken/)
        assert.equal(patches().length, sent)
      }
      const late = async () => () => assert.fail('too late')
      await assert.rejects(broker.changeOrder('target', change, late), /too late/)
      assert.deepEqual(patches(), [['stop', { stop_price: '97' }]])
    })

    it('a change of an oco moves the stop and the target, each at its own part', async () => {
      books.pair()
      assert.equal(await broker.changeOrder('target', { stopPrice: '97', limitPrice: '111' }), 'requested')
      assert.deepEqual(patches(), [
        ['stop', { stop_price: '97' }],
        ['target', { limit_price: '111' }],
      ])
      for (const each of [broker, connect()])
        for (const id of ['target', 'stop', 'stop~1', 'target~2']) {
          const report = (await each.getOrder(id))!
          assert.deepEqual(
            [report.clientOrderId, report.limitPrice, report.stopPrice, report.status],
            [OURS, '111', '97', 'OPEN'],
          )
          assert.equal(report.links?.at(-1)?.brokerOrderId, 'stop~1')
        }
    })

    it('a change of a stop that came too late leaves the oco filled by the stop', async () => {
      books.pair({ status: 'canceled' })
      const late = books.replace('stop', { stop_price: '97' })
      books.set('stop', { status: 'filled', replaced_by: null, ...filled('15') })
      books.set(late.id, { status: 'rejected' })
      for (const id of ['target', 'stop', late.id]) {
        const report = (await broker.getOrder(id))!
        assert.deepEqual([report.status, report.filledQuantity, report.stopPrice], ['FILLED', '15', '95'])
        assert.equal(report.links?.at(-1)?.brokerOrderId, 'stop')
      }
      assert.equal(await broker.changeOrder('target', { stopPrice: '97' }), 'too_late')
    })

    it('a change of a trail keeps its kind', async () => {
      books.add({
        id: 'one',
        client_order_id: OURS,
        type: 'trailing_stop',
        trail_percent: '5',
        limit_price: null,
      })
      assert.equal(await broker.changeOrder('one', { trail: { percent: '4' } }), 'requested')
      assert.equal(await broker.changeOrder('one', { trail: { amount: '4' } }), 'refused')
      assert.deepEqual(patches(), [['one', { trail: '4' }]])
    })

    it('a change that makes another order of it, or another size of an oco, is refused without asking', async () => {
      books.pair()
      books.add({ id: 'one', type: 'stop', limit_price: null, stop_price: '90' })
      assert.equal(await broker.changeOrder('target', { quantity: '10' }), 'refused')
      assert.equal(await broker.changeOrder('target', { stopLimitPrice: '94' }), 'refused')
      assert.equal(await broker.changeOrder('one', { limitPrice: '89' }), 'refused')
      assert.deepEqual(patches(), [])
    })

    it('a change is too late for an order that has ended, and for none there is none', async () => {
      books.pair({ status: 'filled', ...filled('15') }, { status: 'canceled' })
      assert.equal(await broker.changeOrder('target', { stopPrice: '97' }), 'too_late')
      assert.equal(await broker.changeOrder('none', { stopPrice: '97' }), 'not_found')
    })

    const refusing = (afterwards: Record<string, unknown>) => {
      books.add({ id: 'one', client_order_id: OURS, type: 'stop', limit_price: null, stop_price: '90' })
      server.answerBy((request) => {
        if (request.method !== 'PATCH') return books.answer(request)
        books.set('one', afterwards)
        return json(422, alpacaRejections.malformed)
      })
      return broker.changeOrder('one', { stopPrice: '91' })
    }
    it('a change that the broker refuses is judged by the status of the order then', async () => {
      assert.equal(await refusing({}), 'refused')
      assert.equal(await refusing({ status: 'filled', ...filled('15') }), 'too_late')
      assert.equal(await refusing({ stop_price: '91' }), 'requested')
      await assert.rejects(refusing({ status: 'pending_replace' }), BrokerBusy)
    })

    it('a change whose answer is lost is found out by repeating it', async () => {
      books.add({ id: 'one', client_order_id: OURS, type: 'stop', limit_price: null, stop_price: '90' })
      server.answerBy((request) => {
        const answer = books.answer(request)
        return request.method === 'PATCH' ? (_, __, socket) => socket.destroy() : answer
      })
      await assert.rejects(broker.changeOrder('one', { stopPrice: '91' }), BrokerOutcomeUnknown)
      assert.equal(await broker.changeOrder('one', { stopPrice: '91' }), 'requested')
      assert.equal(patches().length, 1)
    })
  })

  it('a cancel of an oco asks for its target, or for the part that is left', async () => {
    books.pair()
    assert.equal(await broker.cancelOrder('target'), 'requested')
    books.set('target', { status: 'canceled' })
    books.set('stop', { status: 'new' })
    assert.equal(await broker.cancelOrder('target'), 'requested')
    books.set('stop', { status: 'canceled' })
    assert.equal(await broker.cancelOrder('target'), 'too_late')
    const deleted = server.received.filter(({ method }) => method === 'DELETE')
    assert.deepEqual(
      deleted.map(({ path }) => path.split('/').at(-1)),
      ['target', 'target', 'stop', 'target'],
    )
  })
})
