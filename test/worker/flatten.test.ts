import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { createFlattenActivities } from '#activities/flatten/index.ts'
import type { FlattenActivities } from '#activities/contract.ts'
import { openDatabase, type Database, type EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertFlattening, type NewFlattening } from '#db/flatten/flattenings.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount } from '#test/support/factories.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { createTestDatabase, temporalAddress, type TestDatabase } from '#test/support/servers.ts'
import { workflowBundle } from '#test/support/workflow-bundle.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { addressedActivities } from '#worker/untrusted-messages.ts'
import type { flatByCloseWorkflow } from '#workflows/flatten/by-close.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import { FLAT_BY_CLOSE_WORKFLOW, FLATTEN_WORKFLOW } from '#workflows/names.ts'
import { held } from '#test/support/sample-position.ts'

/** A real server: looks that start the same child at once are more than the server that skips time can bear. */
describe('closing everything, by workflow', function () {
  this.timeout(60_000)
  let server: TestDatabase
  let database: Database
  let em: EntityManager
  let connection: Connection
  let native: NativeConnection
  let client: Client
  let worker: Worker
  let running: Promise<void>
  let broker: ScriptedBroker
  let account: Account
  /** Orders as they were placed, and when. */
  let placed: { terms: ManualOrderTerms; at: number }[] = []
  /** The next orders that are refused; those after them fill. */
  let refusals = 0
  /** The next rounds whose answer is lost after they were done. */
  let lost = 0
  const taskQueue = `flatten-${randomUUID()}`

  before(async () => {
    server = await createTestDatabase()
    database = await openDatabase(server.url)
    em = database.em.fork()
    const address = await temporalAddress()
    connection = await Connection.connect({ address })
    native = await NativeConnection.connect({ address })
    client = new Client({ connection, interceptors: { workflow: [addressMessages(randomUUID)] } })
    worker = await Worker.create({
      connection: native,
      taskQueue,
      workflowBundle: await workflowBundle(),
      interceptors: { activity: [addressedActivities] },
      activities: activities(),
    })
    running = worker.run()
  })
  beforeEach(async () => {
    broker = new ScriptedBroker()
    placed = []
    refusals = lost = 0
    await em.execute('delete from users')
    account = await createAccount(em)
  })
  // What was begun looks on for a while, in case an entry comes to be known.
  afterEach(async () => {
    for (const id of await begunIds())
      await client.workflow
        .getHandle(flattenWorkflowIdFor(id))
        .terminate()
        .catch(() => {})
  })
  after(async () => {
    worker?.shutdown()
    await running
    await native?.close()
    await connection?.close()
    await database?.close(true)
    await server?.drop()
  })

  /** Orders meet their fate at once, in the place of their workflows. */
  function activities(): FlattenActivities {
    const real = createFlattenActivities({
      em: database.em,
      secretKeys,
      connectBroker: () => broker,
      requestTimeoutMs: 1_000,
      stopper: { cancel: async () => {}, withdraw: async () => {} },
    })
    return {
      ...real,
      async flattenRound(input) {
        const round = await real.flattenRound(input)
        for (const terms of round.orders) await meet(terms)
        if ((lost -= 1) >= 0) throw new Error('the worker has died')
        return { ...round, orders: [] }
      },
    }
  }
  async function meet(terms: ManualOrderTerms): Promise<void> {
    placed.push({ terms, at: Date.now() })
    const isRefused = (refusals -= 1) >= 0
    await em.execute(`update orders set status = ?, ended_at = now() where id = ?`, [
      isRefused ? 'REJECTED' : 'FILLED',
      terms.orderId,
    ])
    if (!isRefused) broker.positions = broker.positions.filter(({ symbol }) => symbol !== terms.symbol)
  }
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const begunIds = async () =>
    (await em.execute<{ id: string }[]>('select id from flattenings order by created_at')).map(({ id }) => id)
  const startLook = () =>
    client.workflow.start<typeof flatByCloseWorkflow>(FLAT_BY_CLOSE_WORKFLOW, {
      workflowId: `flat-by-close-${randomUUID()}`,
      taskQueue,
    })

  it('goes on in rounds until nothing is held: a round that is lost is done over, and what is refused is tried again', async () => {
    broker.positions = [held('10', 'LONG')]
    refusals = 1
    lost = 1
    const id = randomUUID()
    const asked: NewFlattening = {
      id,
      userId: account.userId,
      cause: 'request',
      scope: 'account',
      scopeId: null,
      accountIds: [account.id],
      symbols: null,
      includeManual: true,
      entriesOf: null,
      reason: null,
      askedBy: 'someone',
      tokenId: null,
      day: null,
      closesAt: null,
      alarmAt: inMinutes(1),
    }
    await insertFlattening(em, asked, null)
    const handle = await client.workflow.start<typeof flattenWorkflow>(FLATTEN_WORKFLOW, {
      workflowId: flattenWorkflowIdFor(id),
      taskQueue,
      args: [{ flattenId: id }],
    })
    const { standing } = await handle.result()
    assert.deepEqual([standing, placed.length], ['Nothing is held', 2])
    assert.ok(placed[1]!.at - placed[0]!.at >= 2_000, 'after its pause')
    const [row] = await em.execute<{ status: string }[]>('select status from flattenings where id = ?', [id])
    assert.equal(row!.status, 'done')
  })

  it('closing everything is done before the close of a short day, once, however many looks there are', async () => {
    const closesAt = inMinutes(15 + 3 / 60)
    broker.sessions = [0, 1_440].map((later) => ({
      date: inMinutes(later).slice(0, 10),
      opensAt: inMinutes(later - 195),
      closesAt: later === 0 ? closesAt : inMinutes(later + 15),
    }))
    await em.execute('update accounts set flat_by_close = ?::jsonb where id = ?', [
      JSON.stringify({ minutes: 15, includeManual: true }),
      account.id,
    ])
    broker.positions = [held('10', 'LONG')]
    const looks = await Promise.all([startLook(), startLook()])
    const begun = await Promise.all(looks.map(async (handle) => (await handle.result()).begun))
    const reach = 'due within the reach of both'
    assert.deepEqual(
      begun.toSorted((a, b) => a - b),
      [0, 1],
      reach,
    )
    await eventually(() => assert.equal(placed.length, 1))
    assert.equal((await begunIds()).length, 1)
    const minutesBefore = (Date.parse(closesAt) - placed.at(0)!.at) / 60_000
    assert.ok(minutesBefore <= 15 && minutesBefore > 14.5, `${minutesBefore} min before the close`)
  })
})
