import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { BrokerGates, gatedBroker } from '#brokers/gates.ts'
import { connectBroker } from '#brokers/registry.ts'
import { requestsPerMinute } from '#domain/account/broker-types.ts'
import type { Part } from '#config/periodically.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { gateExchange } from '#db/broker/gate-exchange.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { BrokerConnection } from '#db/entities/index.ts'
import { json, startScriptedServer, type ScriptedServer } from '#test/brokers/scripted-server.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import { reportSlots } from '#worker/feed/order-reconciler.ts'
import { followBrokers } from '#worker/feed/broker-feed.ts'

const ACCOUNT = {
  account_number: 'PA1',
  status: 'ACTIVE',
  currency: 'USD',
  cash: '1000',
  equity: '1000',
  buying_power: '2000',
  multiplier: '2',
  trading_blocked: false,
  account_blocked: false,
  trade_suspended_by_user: false,
}
/** Seconds of trouble, in place of minutes. */
const TROUBLE = 12

/** A broker, and a feed that follows an account there. */
interface Station {
  broker: ScriptedServer
  follow(): void
  close(): Promise<void>
}

async function openStation(): Promise<Station> {
  const server: TestDatabase = await createTestDatabase()
  const database: Database = await openDatabase(server.url)
  const broker = await startScriptedServer()
  const account = await createAccount(database.em)
  const sealedCredentials = sealCredentials(secretKeys, account, { keyId: 'KEY', secretKey: 'SECRET' })
  await database.em
    .fork()
    .nativeUpdate(
      BrokerConnection,
      { id: account.brokerId },
      { brokerType: 'alpaca', baseUrl: broker.url, sealedCredentials },
    )
  const gates = new BrokerGates({ perMinute: requestsPerMinute, exchange: gateExchange(database.em) })
  let feed: Part | undefined
  return {
    broker,
    follow() {
      feed = followBrokers({
        em: database.em,
        secretKeys,
        connectBroker: gatedBroker(connectBroker, gates),
        announcer: {
          announce: async () => true,
          ensureRunning: async () => {},
          retryExit: async () => {},
          exitCalendarChanged: async () => {},
          exitNews: async () => {},
        },
        requestTimeoutMs: 1_000,
        pollEvery: 15_000,
        fleet: { workerId: 'this', followers: ['this'] },
        lookForAccountsEvery: 20,
        lookAtFleetEvery: 10,
        slots: reportSlots(10),
        log: loggerInMemory().log,
      })
      feed.start()
    },
    async close() {
      await feed?.stop()
      await broker.close()
      await database.close(true)
      await server.drop()
    },
  }
}

describe('the feed of an account whose broker answers no request', function () {
  this.timeout(60_000)
  const answers = ({ broker }: Station) =>
    broker.answerWith((request, response, socket) => {
      const body =
        request.path.startsWith('/v2/account') && !request.path.includes('activities') ? ACCOUNT : []
      json(200, body)(request, response, socket)
    })

  const afterTheLimit =
    (headers: Record<string, string>) =>
    async (station: Station): Promise<void> => {
      const { broker } = station
      broker.answerWith(json(429, { message: 'too many requests.' }, headers))
      station.follow()
      await eventually(() => assert.ok(broker.received.length > 0))
      await pause(TROUBLE * 1_000)
      const during = broker.received.length
      // Of twelve in two minutes most come at first: each pause is longer than the one before.
      assert.ok(during <= 9, `${during} requests: ${broker.received.map(({ path }) => path).join(' ')}`)
      answers(station)
      await eventually(
        () => {
          for (const path of ['/v2/account', '/v2/positions', '/v2/account/activities', '/v2/orders'])
            assert.ok(
              broker.received.slice(during).some((each) => each.path.startsWith(path)),
              path,
            )
        },
        { within: 25_000 },
      )
    }

  async function afterErrors(station: Station): Promise<void> {
    const { broker } = station
    const countOf = (path: string) =>
      broker.received.filter((each) => each.path.split('?')[0] === path).length
    station.follow()
    await eventually(() => assert.ok(broker.received.length > 0))
    await pause(TROUBLE * 1_000)
    for (const path of ['/v2/account', '/v2/positions', '/v2/account/activities', '/v2/orders'])
      assert.ok(countOf(path) <= 6, `${countOf(path)} requests of ${path} in ${TROUBLE} s`)
    answers(station)
    const began = performance.now()
    await eventually(
      () => {
        for (const path of ['/v2/account', '/v2/positions', '/v2/account/activities'])
          assert.ok(countOf(path) > 4, path)
      },
      { within: 20_000 },
    )
    assert.ok(performance.now() - began < 16_000, 'it went on long after the trouble was over')
  }

  /** They wait side by side, each at a broker of its own. */
  const troubles = {
    'because its limit is reached and names no wait makes a few requests, and goes on soon after':
      afterTheLimit({}),
    'because its limit is reached and asks for a wait makes a few requests, and goes on soon after':
      afterTheLimit({ 'retry-after': '5' }),
    'but with errors asks ever more rarely, and goes on at once when it answers one request': afterErrors,
  }
  const stations: Station[] = []
  const outcomes = new Map<string, Promise<PromiseSettledResult<void>>>()
  before(async () => {
    for (const [words, live] of Object.entries(troubles)) {
      const station = await openStation()
      stations.push(station)
      const lived = Promise.allSettled([live(station)])
      outcomes.set(
        words,
        lived.then(([outcome]) => outcome),
      )
    }
  })
  after(() => Promise.all(stations.map((station) => station.close())))

  for (const words of Object.keys(troubles))
    it(`the feed of an account whose broker answers no request ${words}`, async () => {
      const outcome = await outcomes.get(words)!
      if (outcome.status === 'rejected') throw outcome.reason
    })
})
