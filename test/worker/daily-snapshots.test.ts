import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createSnapshotActivities } from '#activities/account/balances.ts'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { openDatabase, type Database, type EntityManager } from '#db/engine/database.ts'
import { snapshotWindowAt, snapshotWindows } from '#domain/account/balance-snapshot.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { addDays, addMinutes, instantToLocal } from '#domain/time/wall-time.ts'
import { BareTemporal } from '#test/support/bare-temporal.ts'
import { createAccount, createConnection } from '#test/support/factories.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import type { DailySnapshots } from '#workflows/account/daily-balances-contract.ts'
import { DAILY_SNAPSHOTS_WORKFLOW } from '#workflows/names.ts'

const HOUR = 60

/** A broker that notes when it was asked for balances, and can lose its calendar alone. */
class WatchedBroker extends ScriptedBroker {
  readonly askedAt: number[] = []
  hasCalendar = true
  /** What each request for balances comes to, one after the other; those after them are answered. */
  readonly troubles: Error[] = []

  override async getAccount() {
    this.askedAt.push(Date.now())
    const trouble = this.troubles.shift()
    if (trouble) throw trouble
    return super.getAccount()
  }

  override listSessions(from: string, to: string) {
    if (!this.hasCalendar) return Promise.reject(new BrokerOutcomeUnknown('no calendar today'))
    return super.listSessions(from, to)
  }
}

describe('recording the balances with which days end', function () {
  this.timeout(60_000)
  let server: TestDatabase
  let database: Database
  let em: EntityManager
  let temporal: BareTemporal
  let broker: WatchedBroker
  /** By the address of the connection; the others are at `broker`. */
  let brokers: Map<string, WatchedBroker>

  before(async () => {
    server = await createTestDatabase()
    database = await openDatabase(server.url)
    em = database.em.fork()
    const activities = createSnapshotActivities({
      em: database.em,
      secretKeys,
      connectBroker: ({ baseUrl }) => brokers.get(baseUrl) ?? broker,
      requestTimeoutMs: 1_000,
      now: async () => Date.now(),
    })
    temporal = new BareTemporal(({ name, input }) =>
      activities[name as keyof typeof activities](input as never),
    )
    await temporal.load()
  })
  beforeEach(async () => {
    broker = new WatchedBroker()
    brokers = new Map()
    await em.execute('delete from users')
    temporal.begin(Date.now())
  })
  after(async () => {
    temporal.end()
    await database?.close(true)
    await server?.drop()
  })

  /** The UTC instant so many minutes from the server's now. */
  const inMinutes = async (minutes: number) => addMinutes(new Date().toISOString(), minutes)
  const newYorkDate = (instant: string) => instantToLocal(instant, 'America/New_York').date
  /** Sessions that open and close so many minutes from now; they open at least a day apart. */
  const sessions = async (...spans: [opens: number, closes: number][]): Promise<TradingSession[]> => {
    const now = await inMinutes(0)
    return spans.map(([opens, closes]) => {
      const opensAt = addMinutes(now, opens)
      return { date: newYorkDate(opensAt), opensAt, closesAt: addMinutes(now, closes) }
    })
  }
  const start = async () =>
    temporal.start(DAILY_SNAPSHOTS_WORKFLOW, { workflowId: `daily-snapshots-${randomUUID()}` })
  const ended = async (handle: Awaited<ReturnType<typeof start>>) =>
    (await handle.result()) as DailySnapshots[]
  const run = async () => ended(await start())
  const snapshots = async () =>
    (
      await em.execute<{ date: string; equity: string; cash: string }[]>(
        `select date::text, trim_scale(equity)::text as equity, trim_scale(cash_balance)::text as cash
         from balance_snapshots order by date, equity`,
      )
    ).map(({ date, equity, cash }) => `${date} ${equity} ${cash}`)
  /** Minutes between an instant and the moment at which the broker was asked. */
  const minutesAfter = (instant: string, index = 0) => (broker.askedAt[index]! - Date.parse(instant)) / 60_000

  it('waits for the close, however early it is, and asks when the closing auction has settled', async () => {
    await createAccount(em)
    broker.balances = { ...broker.balances, equity: '1234.5', cashBalance: '-10.25' }
    broker.sessions = await sessions([-26 * HOUR, -20 * HOUR], [-2 * HOUR, HOUR], [22 * HOUR, 28 * HOUR])
    const [, today] = broker.sessions
    const { brokerType, date } = { brokerType: 'alpaca', date: today!.date }
    assert.deepEqual(await run(), [{ brokerType, date, recorded: 1, missing: 0, filled: 0 }])
    assert.deepEqual(await snapshots(), [`${date} 1234.5 -10.25`])
    assert.ok(minutesAfter(today!.closesAt) >= 5 && minutesAfter(today!.closesAt) < 6, `${broker.askedAt}`)
  })

  it('records the last day at once when today has no session, and once however many runs there are', async () => {
    await createAccount(em)
    broker.sessions = await sessions([-30 * HOUR, -24 * HOUR], [18 * HOUR, 24 * HOUR])
    const { date } = broker.sessions[0]!
    for (const handle of [await start(), await start()])
      assert.deepEqual(await ended(handle), [
        { brokerType: 'alpaca', date, recorded: 1, missing: 0, filled: 0 },
      ])
    assert.deepEqual(await snapshots(), [`${date} 100000 100000`])
  })

  it('fills a day that was not recorded from the balances copied before the next opening, and no other day', async () => {
    const account = await createAccount(em)
    broker.sessions = await sessions([-54 * HOUR, -48 * HOUR], [-30 * HOUR, -24 * HOUR], [-HOUR, HOUR])
    const [, second, today] = broker.sessions
    const copied = addMinutes(second!.closesAt, 8 * HOUR)
    await em.execute(
      `insert into account_day_starts (account_id, day, equity, cash_balance, recorded_at) values (?, ?, 77, 7, ?)`,
      [account.id, newYorkDate(copied), copied],
    )
    const [outcome] = await run()
    assert.equal(outcome?.filled, 1)
    assert.deepEqual(await snapshots(), [`${second!.date} 77 7`, `${today!.date} 100000 100000`])
  })

  it('asks a broker that is down again until it answers, and the others only once', async () => {
    const { userId } = await createAccount(em)
    brokers.set('http://down.test', new WatchedBroker())
    const down = brokers.get('http://down.test')!
    down.balances = { ...down.balances, equity: '5' }
    for (let times = 0; times < 4; times += 1) down.troubles.push(new BrokerOutcomeUnknown('no answer'))
    const connection = await createConnection(em, { userId, baseUrl: 'http://down.test' })
    await createAccount(em, { userId, brokerId: connection.id })
    broker.sessions = await sessions([-30 * HOUR, -24 * HOUR], [18 * HOUR, 24 * HOUR])
    down.sessions = broker.sessions
    const { date } = broker.sessions[0]!
    const [outcome] = await run()
    assert.deepEqual([outcome?.recorded, outcome?.missing], [2, 0])
    assert.deepEqual(await snapshots(), [`${date} 100000 100000`, `${date} 5 100000`])
    assert.deepEqual([broker.askedAt.length, down.askedAt.length], [1, 5])
  })

  it('gives up a broker that is down until the next opening, and leaves the day absent', async () => {
    await createAccount(em)
    broker.sessions = await sessions([-30 * HOUR, -24 * HOUR], [HOUR, 7 * HOUR])
    for (let times = 0; times < 1_000; times += 1) broker.troubles.push(new BrokerOutcomeUnknown('no answer'))
    const { opensAt } = broker.sessions[1]!
    const [outcome] = await run()
    assert.deepEqual([outcome?.recorded, outcome?.missing], [0, 1])
    assert.deepEqual(await snapshots(), [])
    assert.ok(broker.askedAt.length > 5)
    assert.ok(broker.askedAt.every((at) => at < Date.parse(opensAt)))
  })

  it('recording the balances with which days end does not wait for keys that are refused', async () => {
    await createAccount(em)
    broker.troubles.push(new BrokerCredentialsError('the keys are not accepted'))
    broker.sessions = await sessions([-30 * HOUR, -24 * HOUR], [18 * HOUR, 24 * HOUR])
    const [outcome] = await run()
    assert.deepEqual([outcome?.recorded, outcome?.missing], [0, 1])
    assert.equal(broker.askedAt.length, 1)
  })

  it('keeps to the exchange’s own calendar when the broker’s cannot be had', async () => {
    await createAccount(em)
    broker.hasCalendar = false
    const now = await inMinutes(0)
    const ruled = snapshotWindows(nyseSessions(addDays(now.slice(0, 10), -7), addDays(now.slice(0, 10), 7)))
    const expected = snapshotWindowAt(now, ruled)!
    const [outcome] = await run()
    assert.deepEqual([outcome?.date, outcome?.recorded], [expected.date, 1])
    assert.ok(minutesAfter(expected.from) >= 0)
  })

  it('recording the balances with which days end has nothing to do where there is no active account', async () => {
    await createAccount(em, { isActive: false })
    assert.deepEqual(await run(), [])
  })
})
