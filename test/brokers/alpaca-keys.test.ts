import assert from 'node:assert/strict'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerPricesUnavailable,
  BrokerRejection,
  type Broker,
} from '#brokers/port.ts'
import { alpacaAccount } from './alpaca-answers.ts'
import { orderRequest } from './order-requests.ts'
import {
  connectAlpaca,
  json,
  useScriptedServer,
  type Answering,
  type ScriptedServer,
} from './scripted-server.ts'

const FORBIDDEN = { message: 'forbidden.' }
const UNAUTHORISED = { code: 40110000, message: 'request is not authorized' }

describe('Alpaca adapter: keys are wrong when the account says so', () => {
  let server: ScriptedServer
  let broker: Broker
  useScriptedServer((given) => {
    server = given
    broker = connectAlpaca(server.url, { requestTimeoutMs: 300 })
  })

  /** Answers the account by one, and everything else by the other. */
  const answer = (account: Answering, rest: Answering) =>
    server.answerBy(({ path }) => (path === '/v2/account' ? account : rest))
  const answers = json(200, alpacaAccount())
  const failure = async (ask: Promise<unknown>): Promise<Error> => {
    const error = await ask.then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof Error)
    return error
  }

  const requests: [
    name: string,
    ask: (b: Broker) => Promise<unknown>,
    forbidden: new (...a: never[]) => Error,
  ][] = [
    ['a submission', (b) => b.submitOrder(orderRequest()), BrokerRejection],
    ['a look-up', (b) => b.findOrder('any'), BrokerOutcomeUnknown],
    ['a cancel', (b) => b.cancelOrder('any'), BrokerOutcomeUnknown],
    ['the positions', (b) => b.listPositions(), BrokerOutcomeUnknown],
    ['the fills', (b) => b.listFills('2026-03-02T15:00:00.000Z'), BrokerOutcomeUnknown],
    ['an asset', (b) => b.getAsset('AAPL'), BrokerOutcomeUnknown],
    ['the list of assets', (b) => b.listAssets!(), BrokerOutcomeUnknown],
    ['the calendar', (b) => b.listSessions('2026-03-02', '2026-03-03'), BrokerOutcomeUnknown],
    ['the last price', (b) => b.getLastPrice('AAPL'), BrokerPricesUnavailable],
    ['quotes', (b) => b.getQuotes(['AAPL']), BrokerPricesUnavailable],
  ]
  for (const [name, ask, forbidden] of requests) {
    it(`${name} answered 401 while the account answers: nothing was done, and it may be asked again`, async () => {
      answer(answers, json(401, UNAUTHORISED))
      const error = await failure(ask(broker))
      assert.ok(error instanceof BrokerBusy && error.retryAfterMs > 0, String(error))
      assert.match(error.message, /401.*although it accepts the keys/)
    })

    it(`${name} answered 403 while the account answers: ${forbidden.name}, and not the keys`, async () => {
      answer(answers, json(403, FORBIDDEN))
      const error = await failure(ask(broker))
      assert.ok(error instanceof forbidden, String(error))
      assert.match(error.message, /accepts the keys.*403 forbidden/)
    })

    for (const status of [401, 403])
      it(`${name} answered ${status}, and the account as well: the keys are not accepted`, async () => {
        server.answerWith(json(status, FORBIDDEN))
        assert.ok((await failure(ask(broker))) instanceof BrokerCredentialsError)
      })

    it(`${name} answered 401, and no answer of the account: asked again, and nothing is said of the keys`, async () => {
      answer(json(500, {}), json(401, UNAUTHORISED))
      assert.ok((await failure(ask(broker))) instanceof BrokerBusy)
    })
  }

  it('the account answered 401 once, and then not: the keys are good', async () => {
    let asked = 0
    server.answerWith((...given) => (++asked === 1 ? json(401, UNAUTHORISED) : answers)(...given))
    assert.ok((await failure(broker.getAccount())) instanceof BrokerBusy)
    assert.equal((await broker.getAccount()).currency, 'USD')
  })

  it('requests that are refused at the same time ask for the account once', async () => {
    answer(answers, json(401, UNAUTHORISED))
    await Promise.allSettled([broker.listPositions(), broker.listPositions(), broker.getAsset('AAPL')])
    assert.ok(server.received.filter(({ path }) => path === '/v2/account').length <= 2)
  })
})
