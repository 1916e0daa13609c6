import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrokerConnectionSettings } from '#brokers/port.ts'
import type { Part } from '#config/periodically.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { openDatabase, type Database, type EntityManager } from '#db/engine/database.ts'
import { Account, BrokerConnection } from '#db/entities/index.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount, createConnection } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import { reportSlots } from '#worker/feed/order-reconciler.ts'
import { followBrokers } from '#worker/feed/broker-feed.ts'

describe('broker feed', () => {
  let server: TestDatabase
  let database: Database
  let em: EntityManager
  let connected: { settings: BrokerConnectionSettings; broker: ScriptedBroker }[]
  let logged: ReturnType<typeof loggerInMemory>
  let feed: Part | undefined
  let fleet: { workerId: string; followers: readonly string[] | null }
  beforeEach(async () => {
    // A database for each: the feed follows every account that there is.
    server = await createTestDatabase()
    database = await openDatabase(server.url)
    em = database.em
    connected = []
    logged = loggerInMemory()
    fleet = { workerId: 'this', followers: ['this'] }
  })
  afterEach(async () => {
    await feed?.stop()
    await database?.close(true)
    await server?.drop()
  })

  function follow(): void {
    const dependencies = {
      em,
      secretKeys,
      connectBroker(settings: BrokerConnectionSettings) {
        if (settings.brokerType === 'unheard-of') throw new Error('there is no broker of that type')
        const broker = new ScriptedBroker()
        connected.push({ settings, broker })
        return broker
      },
      announcer: {
        announce: async () => true,
        ensureRunning: async () => {},
        retryExit: async () => {},
        exitCalendarChanged: async () => {},
        exitNews: async () => {},
      },
      requestTimeoutMs: 1_000,
      pollEvery: 60_000,
      fleet,
      lookForAccountsEvery: 20,
      lookAtFleetEvery: 10,
      letGoAfter: 200,
      slots: reportSlots(10),
      log: logged.log,
    }
    feed = followBrokers(dependencies)
    feed.start()
  }
  const listeners = () => connected.map(({ broker }) => broker.listeners)
  const untilListeners = (expected: number[]) => eventually(() => assert.deepEqual(listeners(), expected))

  it('follows every active account, and takes up one that is added', async () => {
    await createAccount(em)
    await createAccount(em, { isActive: false })
    follow()
    await untilListeners([1])
    await createAccount(em)
    await untilListeners([1, 1])
  })

  it('lets go of an account that is closed', async () => {
    const account = await createAccount(em)
    await createAccount(em)
    follow()
    await untilListeners([1, 1])
    await em.fork().nativeUpdate(Account, { id: account.id }, { isActive: false })
    await eventually(() =>
      assert.deepEqual(
        listeners().toSorted((a, b) => a - b),
        [0, 1],
      ),
    )
  })

  it('follows an account again when its keys change', async () => {
    const account = await createAccount(em)
    follow()
    await untilListeners([1])
    const credentials = { keyId: 'NEW', secretKey: 'SECRET' }
    const sealedCredentials = sealCredentials(secretKeys, account, credentials)
    await em.fork().nativeUpdate(BrokerConnection, { id: account.brokerId }, { sealedCredentials })
    await untilListeners([0, 1])
    assert.deepEqual(connected[1]!.settings.credentials, credentials)
  })

  it('follows the others when one account cannot be followed', async () => {
    const odd = await createConnection(em, { brokerType: 'unheard-of' })
    const { id } = await createAccount(em, { userId: odd.userId, brokerId: odd.id })
    await createAccount(em)
    follow()
    await untilListeners([1])
    assert.ok(
      logged.lines.some(({ msg, accountId }) => msg.includes('cannot be followed') && accountId === id),
    )
  })

  it('goes on when the list of accounts cannot be read for a while', async () => {
    await createAccount(em)
    await em.execute('alter table accounts rename to hidden')
    follow()
    await eventually(() => assert.ok(logged.lines.some(({ msg }) => msg.includes('could not be read'))))
    await em.execute('alter table hidden rename to accounts')
    await untilListeners([1])
  })

  /** Accounts of four connections, and how many of them this worker follows. */
  const followedNow = () => listeners().reduce((sum, count) => sum + count, 0)
  const ofFour = async () => {
    for (let number = 1; number <= 4; number += 1) await createAccount(em)
    return ['this', 'second']
  }

  it('follows its share of the connections beside another worker, and all when that one is gone', async () => {
    fleet.followers = await ofFour()
    follow()
    await eventually(() => assert.equal(followedNow(), 2))
    fleet.followers = ['this']
    await eventually(() => assert.equal(followedNow(), 4))
  })

  it('goes on for a moment when another worker takes connections over, and lets go then', async () => {
    const both = await ofFour()
    follow()
    await eventually(() => assert.equal(followedNow(), 4))
    const begun = performance.now()
    fleet.followers = both
    await eventually(() => assert.equal(followedNow(), 2))
    assert.ok(performance.now() - begun >= 200, 'it let go before the other one could have begun')
  })

  it('follows nothing before it knows of the others', async () => {
    await createAccount(em)
    fleet.followers = null
    follow()
    await pause(300)
    assert.equal(followedNow(), 0)
    fleet.followers = ['this']
    await eventually(() => assert.equal(followedNow(), 1))
  })

  it('ends on request, with every stream closed', async () => {
    await createAccount(em)
    await createAccount(em)
    follow()
    await untilListeners([1, 1])
    await feed?.stop()
    assert.deepEqual(listeners(), [0, 0])
  })
})
