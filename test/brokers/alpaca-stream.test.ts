import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { listenToTradeUpdates } from '#brokers/alpaca/stream.ts'
import {
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  type OrderStreamEvent,
  type UnreadableEvent,
} from '#brokers/port.ts'
import { connectBroker } from '#brokers/registry.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { alpacaOrder } from './alpaca-answers.ts'

/** Does with a new connection what the test says. */
type Serving = (socket: WebSocket) => void

const authorisation = (status: string) => ({
  stream: 'authorization',
  data: { status, action: 'authenticate' },
})
const listening = { stream: 'listening', data: { streams: ['trade_updates'] } }
/** Alpaca's paper stream sends JSON in binary frames. */
const send = (socket: WebSocket, message: unknown) => socket.send(Buffer.from(JSON.stringify(message)))

/** Takes the keys and the subscription as Alpaca does, then says `messages`. */
const serve =
  (...messages: unknown[]): Serving =>
  (socket) =>
    socket.on('message', (data: Buffer) => {
      const request = JSON.parse(data.toString()) as Record<string, unknown>
      if (request['action'] === 'auth') {
        return send(socket, authorisation(request['secret'] === 'SECRET' ? 'authorized' : 'unauthorized'))
      }
      assert.deepEqual(request, { action: 'listen', data: { streams: ['trade_updates'] } })
      for (const message of [listening, ...messages]) send(socket, message)
    })

const update = (event: string, order: unknown, rest: object = {}) => ({
  stream: 'trade_updates',
  data: {
    at: '2026-03-16T18:38:02.1Z',
    event_id: '01K00000000000000000000000',
    event,
    order,
    timestamp: '2026-03-16T18:38:02.05Z',
    ...rest,
  },
})

describe('Alpaca adapter: order stream', () => {
  let http: ReturnType<typeof createServer>
  /** To every request but the stream's. */
  let answer: RequestListener
  let server: WebSocketServer
  let stop: AbortController
  beforeEach(async () => {
    stop = new AbortController()
    answer = (_, response) => response.writeHead(503).end()
    http = createServer((request, response) => void answer(request, response))
    server = new WebSocketServer({ server: http, path: '/stream' })
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
  })
  afterEach(async () => {
    stop.abort()
    for (const client of server.clients) client.terminate()
    await new Promise((resolve) => server.close(resolve))
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  })

  const port = () => (http.address() as AddressInfo).port
  /** Streams until the test ends it; resolves to what was heard when the stream ends well. */
  const stream = (serving: Serving, { secretKey = 'SECRET', stopAfter = Infinity } = {}) => {
    server.on('connection', serving)
    const heard: { report: OrderReport; event: OrderStreamEvent }[] = []
    const unreadable: UnreadableEvent[] = []
    let ready = 0
    const ended = connectBroker({
      brokerType: 'alpaca',
      baseUrl: `http://127.0.0.1:${port()}`,
      credentials: { keyId: 'KEY', secretKey },
      requestTimeoutMs: 500,
    }).streamOrders(
      {
        onReady: () => {
          ready++
          if (stopAfter === 0) stop.abort()
        },
        onReport: (report, event) => {
          heard.push({ report, event })
          if (heard.length + unreadable.length === stopAfter) stop.abort()
        },
        onUnreadable(event) {
          unreadable.push(event)
          if (heard.length + unreadable.length === stopAfter) stop.abort()
        },
      },
      stop.signal,
    )
    return ended.then(() => ({ heard, ready, unreadable }))
  }

  it('Alpaca adapter: order stream is ready once it is subscribed, and ends well when it is aborted', async () => {
    assert.deepEqual(await stream(serve(), { stopAfter: 0 }), { heard: [], ready: 1, unreadable: [] })
  })

  it('Alpaca adapter: order stream does not connect when it is aborted already', async () => {
    stop.abort()
    assert.equal((await stream(() => assert.fail('it connected'))).ready, 0)
  })

  it('reports a new order and its fill, with the execution', async () => {
    const filled = { status: 'filled', filled_qty: '15', filled_avg_price: '107.4' }
    const { heard } = await stream(
      serve(
        update('new', alpacaOrder({ status: 'new' })),
        update('fill', alpacaOrder({ ...filled, filled_at: '2026-03-16T18:38:02.05Z' }), {
          execution_id: 'e-1',
          price: '107.40',
          qty: '15',
          position_qty: '15',
        }),
      ),
      { stopAfter: 2 },
    )
    assert.deepEqual(
      heard.map(({ report, event }) => [report.status, event]),
      [
        ['OPEN', { kind: 'new', execution: null }],
        [
          'FILLED',
          {
            kind: 'fill',
            execution: { executionId: 'e-1', quantity: '15', price: '107.4', at: '2026-03-16T18:38:02.050Z' },
          },
        ],
      ],
    )
  })

  it('reports an execution that is taken back, and one that is corrected', async () => {
    const { heard } = await stream(
      serve(
        update('trade_bust', alpacaOrder({ filled_qty: '5' }), { previous_execution_id: 'e-1' }),
        update('trade_correct', alpacaOrder({ filled_qty: '15' }), {
          previous_execution_id: 'e-2',
          execution_id: 'e-3',
          price: '107.10',
          qty: '15',
        }),
      ),
      { stopAfter: 2 },
    )
    assert.deepEqual(
      heard.map(({ report, event }) => [report.filledQuantity, event.amendment]),
      [
        ['5', { executionId: 'e-1', corrected: null }],
        ['15', { executionId: 'e-2', corrected: { executionId: 'e-3', quantity: '15', price: '107.1' } }],
      ],
    )
  })

  it('passes over streams, actions and kinds of order that it does not know', async () => {
    const { heard } = await stream(
      serve(
        { stream: 'account_updates', data: {} },
        { action: 'greeting' },
        update('new', alpacaOrder({ type: 'trailing_stop' })),
        update('new', alpacaOrder({ status: 'new' })),
      ),
      { stopAfter: 1 },
    )
    assert.equal(heard.length, 1)
  })

  it('Alpaca adapter: order stream is a credentials error when the keys are not accepted', async () => {
    await assert.rejects(stream(serve(), { secretKey: 'WRONG' }), BrokerCredentialsError)
  })

  const OURS = `${randomUUID()}-e1`
  const FAULTS: Record<string, [event: object, isMissed: boolean]> = {
    'an unknown status': [
      update('x', alpacaOrder({ client_order_id: 'by-hand', status: 'pondering' })),
      false,
    ],
    'a fill without its execution': [update('fill', alpacaOrder({ client_order_id: 'by-hand' })), false],
    'a bust that does not say of what': [
      update('trade_bust', alpacaOrder({ client_order_id: 'by-hand' })),
      false,
    ],
    'no order': [update('new', null), false],
    nothing: [{ stream: 'trade_updates', data: null }, false],
    'no symbol': [update('new', alpacaOrder({ client_order_id: 'by-hand', symbol: null })), false],
    'an order of ours with an unknown status': [
      update('x', alpacaOrder({ id: 'odd', client_order_id: OURS, status: 'pondering' })),
      true,
    ],
    'a replaced order whose successor cannot be looked up': [
      update('replaced', alpacaOrder({ client_order_id: OURS, status: 'replaced', replaced_by: 'next' })),
      true,
    ],
  }
  for (const [name, [event, isMissed]] of Object.entries(FAULTS))
    it(`leaves out an event with ${name}, and reports those after it`, async () => {
      const { heard, unreadable, ready } = await stream(
        serve(event, update('new', alpacaOrder({ id: 'next', status: 'new' }))),
        { stopAfter: 2 },
      )
      assert.deepEqual([heard.length, heard[0]!.report.brokerOrderId, ready], [1, 'next', 1])
      assert.deepEqual(
        unreadable.map((each) => each.isMissed),
        [isMissed],
      )
    })

  it('asks for an order of ours whose event cannot be read, and reports its status', async () => {
    const order = alpacaOrder({ id: 'odd', client_order_id: OURS, status: 'filled', filled_qty: '15' })
    answer = (_, response) => response.end(JSON.stringify(order))
    const { heard, unreadable } = await stream(serve(update('fill', { ...order, status: 'pondering' })), {
      stopAfter: 2,
    })
    assert.deepEqual(
      heard.map(({ report, event }) => [report.status, report.clientOrderId, event]),
      [['FILLED', OURS, { kind: 'fill', execution: null }]],
    )
    assert.deepEqual(
      unreadable.map((each) => each.isMissed),
      [false],
    )
  })

  const breaks: { name: string; serving: Serving }[] = [
    { name: 'the other side closes', serving: (socket) => socket.close() },
    { name: 'the connection is cut', serving: (socket) => socket.terminate() },
    { name: 'a message is not JSON', serving: (socket) => socket.send('garbage {') },
    {
      name: 'the broker announces an error',
      serving: serve({ action: 'error', data: { error_message: 'x' } }),
    },
    {
      name: 'trade_updates is not offered',
      serving: (socket) => send(socket, { stream: 'listening', data: { streams: [] } }),
    },
  ]
  for (const { name, serving } of breaks) {
    it(`breaks when ${name}`, async () => {
      await assert.rejects(stream(serving), BrokerOutcomeUnknown)
    })
  }

  it('breaks when the handshake is answered with an error', async () => {
    server.shouldHandle = () => false
    await assert.rejects(stream(serve()), BrokerOutcomeUnknown)
  })

  it('breaks when it has no server to connect to', async () => {
    const taken = port()
    await new Promise((resolve) => server.close(resolve))
    server = new WebSocketServer({ noServer: true })
    await assert.rejects(
      connectBroker({
        brokerType: 'alpaca',
        baseUrl: `http://127.0.0.1:${taken}`,
        credentials: { keyId: 'KEY', secretKey: 'SECRET' },
      }).streamOrders({ onReady: () => {}, onReport: () => {} }, stop.signal),
      BrokerOutcomeUnknown,
    )
  })

  it('breaks with the error of a handler that throws', async () => {
    server.on('connection', serve(update('new', alpacaOrder({ status: 'new' }))))
    const broker = connectBroker({
      brokerType: 'alpaca',
      baseUrl: `http://127.0.0.1:${port()}`,
      credentials: { keyId: 'KEY', secretKey: 'SECRET' },
    })
    const fault = new Error('the handler is at fault')
    const onReport = () => {
      throw fault
    }
    await assert.rejects(broker.streamOrders({ onReady: () => {}, onReport }, stop.signal), fault)
  })

  describe('with a heartbeat of 40 ms', () => {
    const listen = (serving: Serving) => {
      server.on('connection', serving)
      return listenToTradeUpdates(
        {
          url: new URL(`ws://127.0.0.1:${port()}/stream`),
          keyId: 'KEY',
          secretKey: 'SECRET',
          patienceMs: 40,
          onReady: () => {},
          onUpdate: async () => {},
        },
        stop.signal,
      )
    }

    it('breaks when a ping is not answered', async () => {
      await assert.rejects(
        listen((socket) => {
          serve()(socket)
          // Reads the subscription, then nothing any more: no pong either.
          socket.on('message', (data: Buffer) => data.includes('listen') && socket.pause())
        }),
        /ping was not answered/,
      )
    })

    it('a broker that says nothing is noted with a heartbeat every two seconds, long before the stream breaks', async function () {
      this.timeout(20_000)
      const silences: number[] = []
      let isPaused = false
      server.on('connection', (socket) => {
        serve()(socket)
        socket.on('message', (data: Buffer) => {
          if (data.includes('listen'))
            setTimeout(() => {
              isPaused = true
              socket.pause()
            }, 2_500)
        })
      })
      const ended = listenToTradeUpdates(
        {
          url: new URL(`ws://127.0.0.1:${port()}/stream`),
          keyId: 'KEY',
          secretKey: 'SECRET',
          patienceMs: 15_000,
          onReady: () => {},
          onPulse: (silentFor) => silences.push(silentFor),
          onUpdate: async () => {},
        },
        stop.signal,
      )
      while (!silences.some((silentFor) => silentFor >= 4_000))
        await new Promise((resolve) => setTimeout(resolve, 100))
      assert.ok(isPaused && silences[0]! < 4_000, silences.join(' '))
      stop.abort()
      await ended
    })

    it('breaks when it is not authorised in time', async () => {
      await assert.rejects(
        listen(() => {}),
        /not authorised within 40 ms/,
      )
    })

    it('goes on while pings are answered', async () => {
      const ended = listen(serve())
      await new Promise((resolve) => setTimeout(resolve, 200))
      stop.abort()
      await ended
    })
  })
})
