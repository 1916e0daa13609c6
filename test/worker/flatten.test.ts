import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import type { TestWorkflowEnvironment } from '@temporalio/testing'
import { NativeConnection, Worker } from '@temporalio/worker'
import { createFlattenActivities } from '#activities/flatten/index.ts'
import type { FlattenActivities } from '#activities/contract.ts'
import type { BrokerPosition } from '#brokers/port.ts'
import { openDatabase, type Database, type EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertFlattening, type NewFlattening } from '#db/flatten/flattenings.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import { addMinutes, instantToLocal } from '#domain/wall-time.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount } from '#test/support/factories.ts'
import { placedOrder } from '#test/support/placed-order.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { createTestDatabase, temporalAddress, type TestDatabase } from '#test/support/servers.ts'
import { timeSkippingServer } from '#test/support/signal-stage.ts'
import { workflowBundle } from '#test/support/workflow-bundle.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { addressedActivities } from '#worker/untrusted-messages.ts'
import type { flatByCloseWorkflow } from '#workflows/flatten/by-close.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import { FLAT_BY_CLOSE_WORKFLOW, FLATTEN_WORKFLOW } from '#workflows/names.ts'

/** What becomes of a closing order: it fills, or is refused with this code; the last one because somebody else was faster. */
type Fate = 'fills' | 'BROKER_ERROR' | 'NO_POSITION_TO_CLOSE'

const long = (symbol: string, quantity: BrokerPosition['quantity'] = '10'): BrokerPosition => ({
  symbol,
  side: 'LONG',
  quantity,
  availableQuantity: quantity,
  avgCost: '100',
  currentPrice: '100',
  marketValue: '1000',
  unrealisedPnl: '0',
  unrealisedPnlPercent: '0',
  dayChange: null,
  dayChangePercent: null,
})

/** The server skips to the end of a run's time as well, which otherwise lies years beyond every calendar. */
const RUN_TIME = '2 days'

describe('closing everything', function () {
  this.timeout(60_000)
  let server: TestDatabase
  let database: Database
  let em: EntityManager
  let environment: TestWorkflowEnvironment
  /** The server of the tests that run now. */
  let here: { client: Client; now(): Promise<number> }
  let broker: ScriptedBroker
  let account: Account
  let accountId: string
  let userId: string
  let worker: { stop(): Promise<void> }
  /** What becomes of the orders of a symbol, one after the other; those after them fill. */
  let fates: Map<string, Fate[]>
  /** Orders as they were placed, and when by the server's clock. */
  let placed: { terms: ManualOrderTerms; at: number }[] = []
  /** The next rounds whose answer is lost after they were done. */
  let lost: number
  /** Whether it was over, of each alert that was raised. */
  let raised: boolean[] = []
  let clock = 0
  /** Milliseconds by which the clock of the activities is ahead of the server's. */
  let ahead = 0
  /** What happens besides once the order of so many tries of a symbol has met its fate. */
  let onPlaced: ((symbol: string, tries: number) => Promise<void>) | null = null
  /** Symbols whose entries were asked to end, in this order. */
  let stopped: string[] = []
  const taskQueue = `flatten-${randomUUID()}`

  before(async () => {
    server = await createTestDatabase()
    database = await openDatabase(server.url)
    em = database.em.fork()
    environment = await timeSkippingServer()
    here = { client: environment.client, now: () => environment.currentTimeMs() }
    worker = await workOn(environment.nativeConnection)
  })
  beforeEach(async () => {
    broker = new ScriptedBroker()
    fates = new Map()
    placed = []
    lost = 0
    ahead = 0
    raised = []
    stopped = []
    onPlaced = null
    await em.execute('delete from users')
    account = await createAccount(em)
    ;({ id: accountId, userId } = account)
  })
  after(async () => {
    await worker?.stop()
    await environment?.teardown()
    await database?.close(true)
    await server?.drop()
  })

  async function workOn(connection: NativeConnection): Promise<{ stop(): Promise<void> }> {
    const created = await Worker.create({
      connection,
      taskQueue,
      workflowBundle: await workflowBundle(),
      interceptors: { activity: [addressedActivities] },
      activities: onServersClock(),
    })
    const running = created.run()
    return {
      stop: async () => {
        created.shutdown()
        await running
      },
    }
  }

  /** The activities by the clock of the server; orders meet their fate at once, in the place of their workflows. */
  function onServersClock(): FlattenActivities {
    const activities = createFlattenActivities({
      em: database.em,
      secretKeys,
      connectBroker: () => broker,
      requestTimeoutMs: 1_000,
      stopper: { cancel: async ({ symbol }) => void stopped.push(symbol), withdraw: async () => {} },
      now: () => clock,
    })
    return {
      async flattenRound(input) {
        clock = await now()
        const round = await activities.flattenRound(input)
        for (const terms of round.orders) await meet(terms)
        const [alert] = await alerts()
        if (alert && raised.at(-1) !== alert.is_over) raised.push(alert.is_over)
        if (lost > 0) {
          lost -= 1
          throw new Error('the worker has died')
        }
        return { ...round, orders: [] }
      },
      async beginFlatByClose() {
        clock = await now()
        return activities.beginFlatByClose()
      },
    }
  }

  async function meet(terms: ManualOrderTerms): Promise<void> {
    placed.push({ terms, at: clock })
    const fate = fates.get(terms.symbol)?.shift() ?? 'fills'
    await em.execute(`update orders set status = ?, ended_at = ?, reason = ? where id = ?`, [
      fate === 'fills' ? 'FILLED' : 'REJECTED',
      new Date(clock),
      fate === 'fills' ? null : 'refused',
      terms.orderId,
    ])
    await em.execute('update manual_orders set denial_code = ? where order_id = ?', [
      fate === 'fills' ? null : fate,
      terms.orderId,
    ])
    if (fate !== 'BROKER_ERROR')
      broker.positions = broker.positions.filter(({ symbol }) => symbol !== terms.symbol)
    await onPlaced?.(terms.symbol, placed.filter((order) => order.terms.symbol === terms.symbol).length)
  }

  const now = async (): Promise<number> => (await here.now()) + ahead
  const inMinutes = async (minutes: number) => addMinutes(new Date(await now()).toISOString(), minutes)
  /** A session that is on and ends in so many minutes, and one more a day later, as a calendar has. */
  async function sessionEnds(inHowMany: number): Promise<string> {
    const closesAt = await inMinutes(inHowMany)
    broker.sessions = [0, 24 * 60].map((later) => {
      const opensAt = addMinutes(closesAt, later - 210)
      return {
        date: instantToLocal(opensAt, 'America/New_York').date,
        opensAt,
        closesAt: addMinutes(closesAt, later),
      }
    })
    return closesAt
  }
  async function request(): Promise<string> {
    const id = randomUUID()
    const asked: NewFlattening = {
      id,
      userId,
      cause: 'request',
      scope: 'account',
      scopeId: null,
      accountIds: [accountId],
      symbols: null,
      includeManual: true,
      entriesOf: null,
      reason: null,
      askedBy: 'someone',
      tokenId: null,
      day: null,
      closesAt: null,
      alarmAt: await inMinutes(1),
    }
    await insertFlattening(em, asked, null)
    await em.execute('update flattenings set created_at = ? where id = ?', [new Date(await inMinutes(0)), id])
    return id
  }
  const flatten = async (id: string) => {
    const handle = await here.client.workflow.start<typeof flattenWorkflow>(FLATTEN_WORKFLOW, {
      workflowId: flattenWorkflowIdFor(id),
      taskQueue,
      args: [{ flattenId: id }],
      workflowExecutionTimeout: RUN_TIME,
    })
    return handle.result()
  }
  /** One look of the schedule. */
  const startLook = () =>
    here.client.workflow.start<typeof flatByCloseWorkflow>(FLAT_BY_CLOSE_WORKFLOW, {
      workflowId: `flat-by-close-${randomUUID()}`,
      taskQueue,
      workflowExecutionTimeout: RUN_TIME,
    })
  const look = async () => (await (await startLook()).result()).begun
  const begunIds = async () =>
    (await em.execute<{ id: string }[]>('select id from flattenings order by created_at')).map(({ id }) => id)
  const endOf = (id: string) => here.client.workflow.getHandle(flattenWorkflowIdFor(id)).result()
  const standing = async () => {
    const [row] = await em.execute<{ status: string; lines: string[] | null }[]>(
      `select f.status, (select json_agg(l.symbol || ' ' || l.status order by l.symbol) from flatten_lines l
         where l.flatten_id = f.id) as lines from flattenings f order by f.created_at desc limit 1`,
    )
    return [row!.status, ...(row!.lines ?? [])]
  }
  const alerts = async () =>
    em.execute<{ message: string; is_over: boolean; is_open: boolean }[]>(
      `select message, (data ->> 'isOver')::boolean as is_over, resolved_at is null as is_open from alerts where kind = 'not_flat'`,
    )
  const stopTrading = () =>
    setHalt(em, { scope: 'account', userId, accountId }, { level: 'fullStop', reason: null, by: 'someone' })
  const flatByClose = (minutes: number, includeManual = true) =>
    em.execute('update accounts set flat_by_close = ?::jsonb where id = ?', [
      JSON.stringify({ minutes, includeManual }),
      accountId,
    ])

  it('closes each position by one order, with parts of a share, and tries again what is refused once', async () => {
    await sessionEnds(300)
    broker.positions = [long('AAPL', '10.5'), { ...long('F'), side: 'SHORT' }]
    fates.set('F', ['BROKER_ERROR'])
    await flatten(await request())
    assert.deepEqual(await standing(), ['done', 'AAPL closed', 'F closed'])
    assert.deepEqual(
      placed.map(({ terms: { symbol, side, quantity, reducesOnly } }) => [
        symbol,
        side,
        quantity,
        reducesOnly,
      ]),
      [
        ['AAPL', 'SELL', '10.5', true],
        ['F', 'BUY', '10', true],
        ['F', 'BUY', '10', true],
      ],
    )
    assert.deepEqual(await alerts(), [])
  })

  it('places an order once although the answer of the round is lost, and none for a position that is closed meanwhile', async () => {
    await sessionEnds(300)
    broker.positions = [long('AAPL'), long('F')]
    fates.set('F', ['NO_POSITION_TO_CLOSE'])
    lost = 2
    await flatten(await request())
    assert.deepEqual(await standing(), ['done', 'AAPL closed', 'F closed'])
    assert.deepEqual(placed.map(({ terms }) => terms.symbol).toSorted(), ['AAPL', 'F'])
  })

  it('leaves alone what is opened after it was asked for, while it still closes what was before', async () => {
    await sessionEnds(300)
    const entry = async (symbol: string, minutes: number): Promise<string> => {
      const acceptedAt = await inMinutes(minutes)
      const { orderId } = await placedOrder(em, account, { symbol, acceptedAt })
      await em.execute(`update orders set status = 'OPEN' where id = ?`, [orderId])
      await em.execute('update manual_orders set workflow_started_at = now() where order_id = ?', [orderId])
      return orderId
    }
    const before = await entry('ZTOLD', -1)
    await entry('ZTLATE', 1)
    broker.positions = [long('AAPL'), long('F')]
    fates.set('F', ['BROKER_ERROR', 'BROKER_ERROR', 'BROKER_ERROR'])
    const later = [long('AAPL', '5'), long('ZTLATE')]
    onPlaced = async (symbol, tries) => {
      if (symbol === 'F' && tries === 2) broker.positions.push(...later)
      if (symbol !== 'F' || tries !== 3) return
      // It fills although it is being cancelled.
      broker.positions.push(long('ZTOLD'))
      await em.execute(`update orders set status = 'FILLED', ended_at = now() where id = ?`, [before])
    }
    await flatten(await request())
    assert.deepEqual(await standing(), ['done', 'AAPL closed', 'F closed', 'ZTOLD closed'])
    assert.deepEqual(broker.positions, later)
    assert.deepEqual([...new Set(stopped)], ['ZTOLD'])
  })

  it('waits while trading is stopped, with an alert, and gives up what is refused for good', async () => {
    await sessionEnds(300)
    await stopTrading()
    broker.positions = [long('AAPL'), long('F')]
    fates.set('F', Array<Fate>(20).fill('BROKER_ERROR'))
    const ended = flatten(await request())
    await eventually(async () => assert.deepEqual(await standing(), ['working', 'AAPL held', 'F held']))
    // The clock of the server skips on while the end is awaited.
    await eventually(async () => assert.equal((await alerts()).length, 1))
    assert.deepEqual([await standing(), placed], [['working', 'AAPL held', 'F held'], []])
    assert.match((await alerts())[0]!.message, /10 AAPL \(Trading is stopped/)
    await liftHalt(em, { scope: 'account', userId, accountId }, 'someone')
    await ended
    assert.deepEqual(await standing(), ['failed', 'AAPL closed', 'F failed'])
    assert.equal(placed.filter(({ terms }) => terms.symbol === 'F').length, 6)
    const [alert] = await alerts()
    assert.deepEqual([alert!.is_over, alert!.is_open], [true, true])
    assert.match(alert!.message, /10 F \(refused\. It was tried 6 times\)/)
  })

  // Two looks that start the same child at once are more than the server that skips time can bear.
  describe('before the close, on a real server', () => {
    let connections: { connection: Connection; native: NativeConnection; worker: { stop(): Promise<void> } }
    before(async () => {
      const address = await temporalAddress()
      const connection = await Connection.connect({ address })
      const native = await NativeConnection.connect({ address })
      const client = new Client({ connection, interceptors: { workflow: [addressMessages(randomUUID)] } })
      here = { client, now: async () => Date.now() }
      connections = { connection, native, worker: await workOn(native) }
    })
    // What was begun looks on for a while, in case an entry comes to be known.
    afterEach(async () => {
      for (const id of await begunIds())
        await here.client.workflow
          .getHandle(flattenWorkflowIdFor(id))
          .terminate()
          .catch(() => {})
    })
    after(async () => {
      await connections?.worker.stop()
      await connections?.native.close()
      await connections?.connection.close()
    })

    it('closing everything is done before the close of a short day, once, however many looks there are', async () => {
      const closesAt = await sessionEnds(15 + 3 / 60)
      await flatByClose(15)
      broker.positions = [long('AAPL')]
      const looks = await Promise.all([startLook(), startLook()])
      const begun = await Promise.all(looks.map(async (handle) => (await handle.result()).begun))
      assert.deepEqual(
        begun.toSorted((a, b) => a - b),
        [0, 1],
        'due within the reach of both',
      )
      await eventually(async () => assert.deepEqual(await standing(), ['working', 'AAPL closed']))
      assert.equal((await begunIds()).length, 1)
      const minutesBefore = (Date.parse(closesAt) - placed.at(0)!.at) / 60_000
      assert.ok(minutesBefore <= 15 && minutesBefore > 14.5, `${minutesBefore} min before the close`)
    })

    it('heeds a decree that closes the exchange earlier than the calendar said', async () => {
      await sessionEnds(200)
      await flatByClose(15)
      broker.positions = [long('AAPL')]
      assert.equal(await look(), 0)
      ahead = 6 * 60_000
      const closesAt = await sessionEnds(10)
      assert.equal(await look(), 1)
      await eventually(async () => assert.deepEqual((await standing()).slice(1), ['AAPL closed']))
      assert.ok(placed.at(0)!.at < Date.parse(closesAt))
    })

    it('alarms when half of the time before the close is over, and tells after the close what is held', async () => {
      await sessionEnds(4 / 60)
      await flatByClose(1)
      broker.positions = [long('AAPL')]
      await stopTrading()
      assert.equal(await look(), 1)
      const [id] = await begunIds()
      await endOf(id!)
      assert.deepEqual(raised, [false, true], 'while there is still time, and after the close')
      const [late] = await alerts()
      assert.deepEqual([late!.is_over, late!.is_open], [true, true])
      assert.deepEqual(await standing(), ['failed', 'AAPL held'])
      assert.equal(placed.length, 0)
    })

    it('leaves alone what no signal has bought, unless that is chosen', async () => {
      await sessionEnds(10)
      await flatByClose(10, false)
      broker.positions = [long('AAPL')]
      assert.equal(await look(), 1)
      // Where it was begun a while ago no entry is waited for that may come to be known.
      await em.execute(`update flattenings set created_at = created_at - interval '20 seconds'`)
      await endOf((await begunIds())[0]!)
      assert.deepEqual([await standing(), placed], [['done'], []])
      await flatByClose(10, true)
      assert.equal(await look(), 1, 'a setting that is changed on the day is another one')
      await eventually(() => assert.equal(placed.length, 1))
    })
  })
})
