import { AnswerOverdue, GatewayUnavailable, UpdateRejected } from '#api/temporal/calls.ts'
import type { Part } from '#config/periodically.ts'
import { createSupervisor, type Pace } from '#api/supervisor/supervisor.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { Account, Signal } from '#db/entities/index.ts'
import { insertToken, revokeToken } from '#db/identity/token-management.ts'
import { randomUUID } from 'node:crypto'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { copySignal, createAccount, createSignal } from '../../support/factories.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers.ts'
import { FakeGateway } from '../support/api-server.ts'

describe('the supervisor', () => {
  let testDatabase: TestDatabase
  let database: Database
  let gateway: FakeGateway
  let supervisor: Part
  let accountId: string
  before(async function () {
    this.timeout(60_000)
    testDatabase = await createTestDatabase()
  })
  beforeEach(async () => {
    database = await openDatabase(testDatabase.url, 4)
    await database.em.fork().nativeDelete(Signal, {})
    accountId = (await createAccount(database.em)).id
    gateway = new FakeGateway()
    supervisor = makeSupervisor({ everyMs: 100, secondTryAfterMs: 200 })
  })
  afterEach(async () => {
    await supervisor.stop()
    await database.close(true)
  })
  after(() => testDatabase.drop())

  const makeSupervisor = (pace?: Pace): Part =>
    createSupervisor({ database, gateway, logger: pino({ level: 'silent' }), ...(pace && { pace }) })
  const add = (ageInSeconds = 10, fields: Partial<Signal> = {}) =>
    createSignal(database.em, {
      accountId,
      acceptedAt: new Date(Date.now() - ageInSeconds * 1_000),
      ...fields,
    })
  const until = async (what: () => boolean | Promise<boolean>) => {
    const end = Date.now() + 15_000
    while (!(await what())) {
      if (Date.now() > end) throw new Error('it did not happen')
      await pause(20)
    }
  }
  const startedAt = async ({ id }: Signal) =>
    (await database.em.fork().findOneOrFail(Signal, id)).workflowStartedAt

  it('starts signals that were stored and not started, and notes it', async () => {
    const signal = await add()
    supervisor.start()
    await until(async () => (await startedAt(signal)) != null)
    assert.deepEqual(gateway.started, [signal.id])
  })

  it('leaves alone signals that it finds for the first time, or that are started already', async () => {
    await add(0)
    await add(10, { workflowStartedAt: new Date() })
    // At its own pace, which leaves a request a second to start what it has stored.
    supervisor = makeSupervisor()
    supervisor.start()
    await pause(300)
    assert.deepEqual(gateway.started, [])
  })

  it('starts every other signal when more than a batch cannot be started', async function () {
    this.timeout(30_000)
    const poison = new Set<string>()
    const first = await add(100)
    for (const id of [first.id, ...(await copySignal(database.em, first.id, 219))]) poison.add(id)
    const good = await add(50)
    const attempts: string[] = []
    gateway.onStart = async ({ signalId }) => {
      attempts.push(signalId)
      if (poison.has(signalId)) throw new TypeError('cannot be started')
    }
    supervisor.start()
    await until(async () => (await startedAt(good)) != null)
    assert.deepEqual(gateway.started, [good.id])
    await pause(500)
    const firstTried = attempts.filter((id) => id === first.id).length
    assert.ok(firstTried <= 4, 'a signal that cannot be started is tried at growing distances')
  })

  it('goes on by itself when PostgreSQL is back', async () => {
    const signal = await add()
    const { fork } = database.em
    let isDown = true
    database.em.fork = (...options) => {
      if (isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      return fork.apply(database.em, options)
    }
    supervisor.start()
    await pause(200)
    isDown = false
    await until(() => gateway.started.includes(signal.id))
  })

  it('the supervisor never looks twice at once', async () => {
    await add()
    let [running, most] = [0, 0]
    gateway.onStart = async () => {
      most = Math.max(most, ++running)
      await pause(300)
      running -= 1
    }
    supervisor.start()
    await until(() => gateway.started.length === 1)
    assert.equal(most, 1)
  })

  it('finishes the look under way before it stops', async () => {
    await add()
    let isStarted = false
    gateway.onStart = async () => {
      isStarted = true
      await pause(200)
    }
    supervisor.start()
    await until(() => isStarted)
    await supervisor.stop()
    assert.equal(gateway.started.length, 1)
  })

  const waiting = { executeMode: 'pending', status: 'pending', workflowStartedAt: new Date() } as const

  /** A token that is revoked, by that person together with what it has sent. */
  async function revokedToken(withdrawnBy: string | null): Promise<string> {
    const { userId } = await database.em.fork().findOneOrFail(Account, { id: accountId })
    const id = await insertToken(database.em.fork(), {
      userId,
      kind: 'access',
      label: 'alerts',
      hash: randomUUID(),
      prefix: 'dt_',
      scopes: ['signals:write'],
      expiresAt: new Date(Date.now() + 3_600_000),
    })
    await revokeToken(database.em.fork(), userId, id, ['access'], withdrawnBy)
    return id
  }

  it('withdraws signals whose token was revoked with them, again after an outage, and nothing else', async () => {
    const due = await add(10, { ...waiting, tokenId: await revokedToken('ada@example.com') })
    await add(10, { ...waiting, tokenId: await revokedToken(null) })
    let isAway = true
    gateway.onWithdraw = async ({ signalId }) => {
      if (isAway) {
        isAway = false
        throw new GatewayUnavailable('away')
      }
      await database.em.execute(`update signals set status = 'cancelled' where id = ?`, [signalId])
      return { status: 'cancelled', reason: 'WITHDRAWN' }
    }
    supervisor.start()
    await until(() => gateway.messages.length >= 2)
    assert.deepEqual(
      gateway.messages.map(({ to, content }) => [to.signalId, content]),
      [
        [due.id, { by: 'ada@example.com' }],
        [due.id, { by: 'ada@example.com' }],
      ],
    )
  })

  it('asks signals that refuse to be withdrawn at growing distances, and withdraws those behind them', async () => {
    const tokenId = await revokedToken('ada@example.com')
    const refusing = new Set<string>()
    const first = await add(100, { ...waiting, tokenId })
    for (const id of [first.id, ...(await copySignal(database.em, first.id, 109))]) refusing.add(id)
    const last = await add(10, { ...waiting, tokenId })
    gateway.onWithdraw = async ({ signalId }) => {
      if (refusing.has(signalId)) throw new UpdateRejected('SIGNAL_NOT_CANCELLABLE', 'it is being sent')
      await database.em.execute(`update signals set status = 'cancelled' where id = ?`, [signalId])
      return { status: 'cancelled', reason: 'WITHDRAWN' }
    }
    const asked = (id: string) => gateway.messages.filter(({ to }) => to.signalId === id).length
    supervisor.start()
    await until(() => asked(last.id) === 1)
    await pause(500)
    assert.equal(asked(last.id), 1)
    assert.ok(Math.max(...[...refusing].map(asked)) <= 4, 'none is asked at every look')
  })

  it('starts what was stored while withdrawals get no answer', async () => {
    const tokenId = await revokedToken('ada@example.com')
    for (let index = 0; index < 12; index++) await add(100, { ...waiting, tokenId })
    const stored = await add()
    gateway.onWithdraw = async () => {
      await pause(300)
      throw new AnswerOverdue('no answer')
    }
    supervisor.start()
    await until(() => gateway.messages.length > 0)
    await until(() => gateway.started.includes(stored.id))
    assert.ok(gateway.messages.length <= 8, 'the start waits for no withdrawal')
    await until(() => new Set(gateway.messages.map(({ to }) => to.signalId)).size === 12)
  })
})
