import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
  type Broker,
} from '#brokers/port.ts'
import { alpacaOrder, alpacaRejections } from './alpaca-answers.ts'
import { orderRequest } from './order-requests.ts'
import { pluck } from '#test/support/pluck.ts'
import {
  connectAlpaca,
  json,
  useScriptedServer,
  type Answering,
  type ScriptedServer,
} from './scripted-server.ts'

/** The submission that the answers below are about. */
const request = orderRequest({ clientOrderId: alpacaOrder().client_order_id })
const SECRET = 'a-secret-that-must-not-show'
const connect = (baseUrl: string, requestTimeoutMs = 300): Broker =>
  connectAlpaca(baseUrl, { secretKey: SECRET, requestTimeoutMs })

describe('Alpaca adapter: the meaning of an unsuccessful answer', () => {
  let server: ScriptedServer
  let broker: Broker
  useScriptedServer((given) => {
    server = given
    broker = connect(server.url)
  })

  const failure = async (act: (broker: Broker) => Promise<unknown>): Promise<Error> => {
    const error = await act(broker).then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof Error)
    assert.ok(!JSON.stringify([error.message, error.stack, String(error.cause)]).includes(SECRET))
    return error
  }
  const submissionFailure = (answering: Answering): Promise<Error> => {
    server.answerWith(answering)
    return failure((b) => b.submitOrder(request))
  }
  const lookupFailure = (answering: Answering): Promise<Error> => {
    server.answerWith(answering)
    return failure((b) => b.findOrder('any'))
  }

  describe('of a submission, when the broker rejects', () => {
    const refusals = [
      ['missing buying power', 403, 'funds', 'INSUFFICIENT_FUNDS'],
      ['a wash trade', 403, 'washTrade', 'OPPOSITE_ORDER'],
      ['held shares', 403, 'held', 'INVALID_ORDER'],
      ['a forbidden short', 403, 'cannotShort', 'BROKER_ERROR'],
      ['day trading protection', 403, 'dayTrading', 'BROKER_ERROR'],
      ['less than the least order', 403, 'tooSmall', 'ORDER_TOO_SMALL'],
      ['a part worth less than the least order', 422, 'tooSmallPart', 'ORDER_TOO_SMALL'],
      ['a sub-penny price', 422, 'subPenny', 'INVALID_ORDER'],
      ['an unknown asset', 422, 'unknownAsset', 'INVALID_ORDER'],
      ['a malformed body', 400, 'malformed', 'INVALID_ORDER'],
      ['something not found', 404, 'notFound', 'INVALID_ORDER'],
    ] as const
    for (const [name, status, rejection, code] of refusals) {
      const body = alpacaRejections[rejection]
      it(`${status} for ${name} is a refusal with ${code} and the broker's words`, async () => {
        const error = await submissionFailure(json(status, body))
        assert.ok(error instanceof BrokerRejection)
        assert.equal(error.code, code)
        assert.equal(error.httpStatus, status)
        assert.ok(error.brokerMessage.startsWith(body.message))
      })
    }

    it('keeps the figures of missing buying power, where they can be read', async () => {
      const figures = async (changes: object) => {
        const error = await submissionFailure(json(403, { ...alpacaRejections.funds, ...changes }))
        assert.ok(error instanceof BrokerRejection)
        return error.funds
      }
      assert.deepEqual(await figures({}), { needed: '4864.5', available: '1765.28' })
      assert.equal(await figures({ cost_basis: undefined }), null)
      assert.equal(await figures({ buying_power: 'unknown' }), null)
    })

    it('keeps the reason that goes with a wash trade', async () => {
      const error = await submissionFailure(json(403, alpacaRejections.washTrade))
      assert.match(error.message, /opposite side market\/stop order exists/)
    })

    for (const status of [422, 409]) {
      it(`${status} for a client order id seen before is a duplicate, not a refusal`, async () => {
        const error = await submissionFailure(json(status, alpacaRejections.duplicate))
        assert.ok(error instanceof DuplicateClientOrderId)
      })
    }
  })

  describe('when the keys are not accepted', () => {
    const answers = [
      { status: 401, body: alpacaRejections.unauthorised },
      { status: 401, body: 'no json object' },
      { status: 403, body: alpacaRejections.keys },
    ]
    for (const { status, body } of answers) {
      it(`${status} ${JSON.stringify(body)} is a credentials error for a submission and a look-up`, async () => {
        assert.ok((await submissionFailure(json(status, body))) instanceof BrokerCredentialsError)
        assert.ok((await lookupFailure(json(status, body))) instanceof BrokerCredentialsError)
      })
    }
  })

  describe('when the rate limit is reached', () => {
    const waitAfter = async (headers: Record<string, string>): Promise<number> => {
      const error = await submissionFailure(json(429, alpacaRejections.rateLimit, headers))
      assert.ok(error instanceof BrokerBusy)
      return error.retryAfterMs
    }
    for (const [words, headers, expected] of [
      ['the seconds of Retry-After', { 'retry-after': '7' }, 7_000],
      ['for no date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
      ['a second when no wait is named', {}, 1_000],
    ] as const)
      it(`waits ${words}`, async () => {
        assert.equal(await waitAfter(headers), expected)
      })
    it('says so for a look-up as well', async () => {
      assert.ok((await lookupFailure(json(429, alpacaRejections.rateLimit))) instanceof BrokerBusy)
    })
  })

  describe('when there is no usable answer', () => {
    const accepted = JSON.stringify(alpacaOrder())
    const answers: [name: string, answering: Answering][] = [
      ['nothing within the time allowed', () => {}],
      ['a reset', (_request, _response, socket) => socket.resetAndDestroy()],
      [
        'a connection closed half way through the body',
        (_, response, socket) => {
          response.writeHead(200, { 'content-length': accepted.length }).write(accepted.slice(0, 40))
          setTimeout(() => socket.destroy(), 20)
        },
      ],
      ['a body that does not end', (_, response) => response.writeHead(200).write(accepted)],
      [
        'a body above the limit of size',
        (_, response) => response.writeHead(200).end(accepted.padEnd(2 * 1024 * 1024 + 1)),
      ],
      ['500', json(500, { message: 'internal server error' })],
      ['502 with a page', (_, response) => response.writeHead(502).end('<html>')],
      ['503 with Retry-After', json(503, { code: 50310000, message: 'try later' }, { 'retry-after': '1' })],
      ['504 after acceptance', json(504, alpacaOrder())],
      ['a success that is not JSON', (_, response) => response.writeHead(200).end('ok {')],
      ['an empty success', (_, response) => response.writeHead(200).end()],
      ['a success without the fields', json(200, { id: 'x' })],
      ['an unknown status', json(200, alpacaOrder({ status: 'pondering' }))],
      ['a quantity that is no number', json(200, alpacaOrder({ qty: 'many' }))],
      ['a redirect', (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()],
      ["a proxy's 404", (_, response) => response.writeHead(404).end('Not Found')],
      ["a proxy's 403", (_, response) => response.writeHead(403).end('<html>')],
      ['an unexpected 418', json(418, { message: 'teapot' })],
    ]
    for (const [name, answering] of answers)
      it(`${name} leaves the outcome of a submission unknown, and a look-up without a result`, async () => {
        assert.ok((await submissionFailure(answering)) instanceof BrokerOutcomeUnknown)
        assert.ok((await lookupFailure(answering)) instanceof BrokerOutcomeUnknown)
      })

    it('malformed HTTP leaves the outcome of a submission unknown', async () => {
      const liar = createServer((socket) => socket.resume().end('NOT HTTP AT ALL\r\n\r\n'))
      await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve))
      broker = connect(`http://127.0.0.1:${(liar.address() as AddressInfo).port}`)
      assert.ok((await failure((b) => b.submitOrder(orderRequest()))) instanceof BrokerOutcomeUnknown)
      await new Promise((resolve) => liar.close(resolve))
    })

    it('an answer about another order leaves the outcome of a submission unknown', async () => {
      const error = await submissionFailure(json(200, alpacaOrder({ client_order_id: 'somebody-else' })))
      assert.ok(error instanceof BrokerOutcomeUnknown)
    })

    it('names the field and the unknown value', async () => {
      const error = await submissionFailure(json(200, alpacaOrder({ status: 'pondering' })))
      assert.match(error.message, /status "pondering"/)
    })

    it('Alpaca adapter: the meaning of an unsuccessful answer when there is no usable answer is reported within the time allowed', async () => {
      const start = performance.now()
      await submissionFailure(() => {})
      assert.ok(performance.now() - start < 1_500)
    })
  })

  describe('of a look-up', () => {
    it("404 in the broker's own words means that there is none", async () => {
      server.answerWith(json(404, alpacaRejections.notFound))
      assert.equal(await broker.findOrder('none'), null)
      assert.equal(await broker.getOrder('none'), null)
      assert.equal(await broker.getAsset('NONE'), null)
      assert.equal(await broker.getPosition('NONE'), null)
      assert.equal(await broker.cancelOrder('none'), 'not_found')
    })
    it('422 is never taken for a refused order', async () => {
      assert.ok((await lookupFailure(json(422, alpacaRejections.subPenny))) instanceof BrokerOutcomeUnknown)
    })
  })

  describe('when the broker cannot be connected to', () => {
    it('nothing was placed: the request never left', async () => {
      await server.close()
      const error = await failure((b) => b.submitOrder(orderRequest()))
      assert.ok(error instanceof BrokerBusy)
      assert.equal(error.retryAfterMs, 1_000)
    })
    it('nothing was placed when its name does not resolve', async () => {
      broker = connect('http://broker.invalid', 5_000)
      assert.ok((await failure((b) => b.submitOrder(orderRequest()))) instanceof BrokerBusy)
    })
  })

  describe('when a submission may not leave any more', () => {
    const late = new Error('it stood still for too long')
    const forbid = (): void => {
      throw late
    }
    it('no byte of a submission that may not leave any more arrives on a new connection, and the reason is passed on', async () => {
      server.answerWith(json(200, alpacaOrder()))
      assert.equal(await failure((b) => b.submitOrder(request, forbid)), late)
      assert.deepEqual(server.received, [])
    })
    it('Alpaca adapter: the meaning of an unsuccessful answer when a submission may not leave any more nor on one that is kept open, and later requests are sent', async () => {
      server.answerWith(json(404, alpacaRejections.notFound))
      await broker.findOrder('any')
      assert.equal(await failure((b) => b.submitOrder(request, forbid)), late)
      await broker.findOrder('other')
      assert.deepEqual(pluck(server.received, 'method'), ['GET', 'GET'])
    })
    it('Alpaca adapter: the meaning of an unsuccessful answer when a submission may not leave any more it is asked once the connection is there, and not before', async () => {
      const silent = createServer()
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as AddressInfo
      const asked: string[] = []
      // The handshake is never answered.
      broker = connect(`https://127.0.0.1:${port}`)
      const error = await failure((b) => b.submitOrder(request, () => void asked.push('leaves')))
      assert.ok(error instanceof BrokerBusy, 'nothing was placed: it never left')
      assert.deepEqual(asked, [])
      silent.close()
    })
  })

  it('sends a submission exactly once, for any answer', async () => {
    await submissionFailure(json(500, {}))
    assert.equal(server.received.length, 1)
  })
})
