import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { addressedActivities } from '#worker/untrusted-messages.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { createAccountSyncActivities } from '#activities/account/sync.ts'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { openDatabase, type Database, type EntityManager } from '#db/engine/database.ts'
import { Account, BrokerConnection, Position } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderIn } from '#test/support/ledger.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { createTestDatabase, temporalAddress, type TestDatabase } from '#test/support/servers.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { workflowBundle } from '#test/support/workflow-bundle.ts'
import { RequestedSyncs } from '#worker/feed/requested-sync.ts'
import type { allAccountsSyncWorkflow } from '#workflows/account/sync-all.ts'
import { accountSyncIdFor } from '#workflows/account/sync-contract.ts'
import type { accountSyncWorkflow } from '#workflows/account/sync.ts'
import { ACCOUNT_SYNC_WORKFLOW, ALL_ACCOUNTS_SYNC_WORKFLOW } from '#workflows/names.ts'

describe('syncing accounts by workflow', function () {
  this.timeout(300_000)
  let server: TestDatabase
  let database: Database
  let em: EntityManager
  let client: Client
  let nativeConnection: NativeConnection
  let worker: Worker
  let running: Promise<void>
  const taskQueue = `sync-${randomUUID()}`

  before(async () => {
    quietTemporal()
    server = await createTestDatabase()
    database = await openDatabase(server.url)
    em = database.em
    const address = await temporalAddress()
    client = new Client({
      connection: await Connection.connect({ address }),
      interceptors: { workflow: [addressMessages(randomUUID)] },
    })
    nativeConnection = await NativeConnection.connect({ address })
    const syncs = new RequestedSyncs({
      em,
      secretKeys,
      connectBroker: () => broker,
      announcer: {
        announce: async (_: object, report: OrderReport) => announced.push(report) > 0,
        ensureRunning: async () => {},
        retryExit: async () => {},
      },
      requestTimeoutMs: 1_000,
      log: loggerInMemory().log,
    })
    worker = await Worker.create({
      connection: nativeConnection,
      taskQueue,
      workflowBundle: await workflowBundle(),
      interceptors: { activity: [addressedActivities] },
      activities: createAccountSyncActivities({
        em,
        syncAccount: (accountId) => syncs.sync(accountId),
      }),
    })
    running = worker.run()
  })
  after(async () => {
    worker?.shutdown()
    await running
    await nativeConnection?.close()
    await client?.connection.close()
    await database?.close(true)
    await server?.drop()
  })

  let broker: ScriptedBroker
  let announced: OrderReport[]
  beforeEach(async () => {
    broker = new ScriptedBroker()
    announced = []
    await em.execute('update accounts set is_active = false')
  })

  const start = (accountId: string) =>
    client.workflow.start<typeof accountSyncWorkflow>(ACCOUNT_SYNC_WORKFLOW, {
      workflowId: accountSyncIdFor(accountId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue,
      args: [{ accountId }],
    })
  const sync = async (accountId: string) => (await start(accountId)).result()
  const account = (id: string) => em.fork().findOneOrFail(Account, { id })
  const requests = (method: string) => broker.requests.get(method) ?? 0

  it('copies orders, balances and positions, and informs the workflow of an order that has ended', async () => {
    const { id } = await createAccount(em, { lastSyncedAt: null })
    const signal = await createSignal(em, { accountId: id })
    const report = orderReport(signal)
    await recordAccepted(em, report)
    broker.put(withFill(report, '10'))
    broker.balances = { ...broker.balances, equity: '123456.78' }
    broker.positions = [held('10', 'LONG')]

    const done = await sync(id)
    assert.equal(done.outcome, 'synced')
    const { equity, lastSyncedAt } = await account(id)
    assert.equal(Number(equity), 123_456.78)
    assert.equal(done.outcome === 'synced' && done.syncedAt, lastSyncedAt?.toISOString())
    assert.equal((await em.fork().find(Position, { accountId: id })).length, 1)
    assert.equal((await orderIn(em, report.clientOrderId)).status, 'FILLED')
    assert.deepEqual(
      announced.map(({ clientOrderId }) => clientOrderId),
      [report.clientOrderId],
    )
  })

  it('runs one at a time for each account: a second request joins the sync that is under way', async () => {
    const { id } = await createAccount(em)
    const gate = Promise.withResolvers<void>()
    broker.latency = () => gate.promise
    const first = await start(id)
    await eventually(async () => assert.equal((await first.describe()).raw.pendingActivities?.length, 1))
    const others = await Promise.all(Array.from({ length: 10 }, () => start(id)))
    for (const other of others) assert.equal(other.firstExecutionRunId, first.firstExecutionRunId)
    gate.resolve()
    await Promise.all([first, ...others].map((handle) => handle.result()))
    assert.equal(requests('getAccount'), 1)
    // One that comes afterwards is a sync of its own, a moment later: the broker counts requests.
    const begin = performance.now()
    await sync(id)
    assert.equal(requests('getAccount'), 2)
    assert.ok(performance.now() - begin > 500)
  })

  it('says that the broker rejects the keys, and the connection shows it', async () => {
    const { id, brokerId } = await createAccount(em)
    broker.outage = new BrokerCredentialsError('the keys are not accepted')
    assert.deepEqual(await sync(id), { outcome: 'rejected_keys', detail: 'the keys are not accepted' })
    assert.equal(requests('listOrders'), 1, 'asking again could not help')
    const { status, statusDetail } = await em.fork().findOneOrFail(BrokerConnection, { id: brokerId })
    assert.deepEqual([status, statusDetail], ['error', 'the keys are not accepted'])
  })

  it('asks a silent broker again, and then says that it is', async () => {
    const { id } = await createAccount(em)
    broker.outage = new BrokerOutcomeUnknown('no answer in time')
    assert.deepEqual(await sync(id), { outcome: 'unreachable', detail: 'no answer in time' })
    assert.equal(requests('listOrders'), 2)
  })

  it('syncing accounts by workflow has nothing to do for an account that is not connected any more', async () => {
    const { id } = await createAccount(em, { isActive: false })
    assert.deepEqual(await sync(id), { outcome: 'gone' })
    assert.deepEqual(await sync(randomUUID()), { outcome: 'gone' })
    assert.equal(broker.requests.size, 0)
  })

  it('syncing accounts by workflow of all accounts syncs each active one, and none is kept by another that fails', async () => {
    const good = await createAccount(em, { lastSyncedAt: null })
    const unreadable = await createAccount(em, { lastSyncedAt: null })
    await em.execute(`update broker_connections set sealed_credentials = 's1.gone.aa.bb' where id = ?`, [
      unreadable.brokerId,
    ])
    const closed = await createAccount(em, { lastSyncedAt: null, isActive: false })
    const totals = await client.workflow.execute<typeof allAccountsSyncWorkflow>(ALL_ACCOUNTS_SYNC_WORKFLOW, {
      workflowId: `sync-accounts-${randomUUID()}`,
      taskQueue,
      args: [],
    })
    assert.deepEqual(totals, { synced: 1, failed: 1 })
    assert.ok((await account(good.id)).lastSyncedAt)
    assert.equal((await account(unreadable.id)).lastSyncedAt, null)
    assert.equal((await account(closed.id)).lastSyncedAt, null)
  })
})
