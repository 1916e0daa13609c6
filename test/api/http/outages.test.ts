import { createMetrics } from '#api/metrics/metrics.ts'
import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import pino from 'pino'
import { createApp } from '#api/app.ts'
import { createWorkBounds, entryBound, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import { listen, type RunningServer } from '#api/http/server.ts'
import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { lockAccountSymbol } from '#db/position/symbol-state.ts'
import { FakeGateway, signalBody, startApi, type ApiServer } from '../support/api-server.ts'
import { identityForTests, identitySettings } from '../support/identity.ts'
import { notifyForTests } from '../support/push.ts'

/** A line to PostgreSQL that can be cut or frozen. */
class Line {
  readonly #target: URL
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  isFrozen = false

  constructor(target: URL) {
    this.#target = new URL(target)
    this.#server = createServer((near) => {
      const far = connect(Number(this.#target.port), this.#target.hostname)
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on('error', () => socket.destroy())
        socket.on('close', () => this.#sockets.delete(socket))
      }
      near.on('data', (data) => void (this.isFrozen || far.write(data)))
      far.on('data', (data) => void (this.isFrozen || near.write(data)))
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
    })
  }
  async open(port = 0): Promise<number> {
    await new Promise<void>((resolve) => void this.#server.listen(port, '127.0.0.1', resolve))
    return (this.#server.address() as AddressInfo).port
  }
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}
import { ScriptedBroker } from '../../support/scripted-broker.ts'

describe('outages', () => {
  describe('of PostgreSQL', () => {
    let whole: ApiServer
    let line: Line
    let port: number
    let database: Database
    let server: RunningServer
    let gateway: FakeGateway
    let token: string
    let accountId: string
    before(async function () {
      this.timeout(60_000)
      whole = await startApi()
      ;({ token, accountId } = await whole.addUser())
      const url = new URL(String(whole.database.config.get('clientUrl')))
      line = new Line(url)
      port = await line.open()
      url.host = `127.0.0.1:${port}`
      database = await openDatabase(url.href, 4)
      gateway = new FakeGateway()
      const settings = {
        ...identitySettings,
        SIGNALS_ENABLED: true,
        API_KEY_IN_QUERY: true,
        SIGNAL_ANSWER_DEADLINE_MS: 1_000,
        SIGNAL_TTL: 60_000,
        BROKER_REQUEST_TIMEOUT: 1_000,
        SIGNAL_QUEUE_LIMIT: 200,
        MAX_PENDING_PER_ACCOUNT: 500,
        VENUE_URL: 'http://127.0.0.1:9',
        TEMPORAL_TASK_QUEUE: 'signals',
        EVENTS_HEARTBEAT: 15_000,
        EVENTS_STREAMS_PER_USER: 10,
        LIVE_TRADING: 'disabled' as const,
        TEMPORAL_NAMESPACE: 'default',
        WEB_FOLDER: '/nonexistent/web',
      }
      const logger = pino({ level: 'silent' })
      const app = createApp({
        database,
        stoppingDatabase: database,
        ordinaryDatabase: database,
        work: createWorkBounds({ ...WORK_BOUNDS, entries: entryBound(10) }),
        gateway,
        connectBroker: () => new ScriptedBroker(),
        logger,
        notify: notifyForTests({ push: null }),
        ...identityForTests(),
        settings,
        metrics: createMetrics({ readLedger: async () => null, probeDependencies: async () => null }),
        build: { buildId: 'this build', uptime: () => 0, diskSpace: async () => null },
      })
      server = await listen(app.koa.callback(), '127.0.0.1', 0)
    })
    after(async () => {
      await server.stop()
      await line.cut().catch(() => {})
      await database.close(true)
      await whole.stop()
    })

    const post = async () => {
      const begin = performance.now()
      const response = await fetch(`${server.address}/api/v1/signals`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(signalBody(accountId)),
      })
      const body = (await response.json()) as { code: string }
      return { response, body, milliseconds: performance.now() - begin }
    }
    const assertUnavailable = ({ response, body, milliseconds }: Awaited<ReturnType<typeof post>>) => {
      assert.deepEqual([response.status, body.code], [503, 'DATABASE_UNAVAILABLE'])
      assert.equal(response.headers.get('retry-after'), '2')
      assert.ok(milliseconds < 2_000, `it took ${milliseconds} ms`)
    }

    it('answer 503 with Retry-After within 2 s while it is down, start nothing, and end by themselves', async () => {
      assert.equal((await post()).response.status, 201)
      await line.cut()
      const started = gateway.awaited.length
      for (const answer of await Promise.all([post(), post(), post()])) assertUnavailable(answer)
      assert.equal(gateway.awaited.length, started)
      await line.open(port)
      assert.equal((await post()).response.status, 201)
    })

    it('answer the same while it is frozen', async () => {
      assert.equal((await post()).response.status, 201)
      line.isFrozen = true
      assertUnavailable(await post())
      line.isFrozen = false
      await line.cut()
      await line.open(port)
      assert.equal((await post()).response.status, 201)
    })

    it('refuse a signal that is held up, and do not store it later', async () => {
      const stored = async () => {
        const [row] = await whole.database.em.execute<{ count: number }[]>(
          'select count(*)::int as count from signals',
        )
        return row!.count
      }
      const before = await stored()
      const held = Promise.withResolvers<void>()
      const holding = Promise.withResolvers<void>()
      const holder = whole.database.em.fork().transactional(async (em) => {
        await lockAccountSymbol(em, accountId, signalBody(accountId).symbol)
        held.resolve()
        await holding.promise
      })
      await held.promise
      assertUnavailable(await post())
      holding.resolve()
      await holder
      assert.equal((await post()).response.status, 201)
      assert.equal(await stored(), before + 1)
    })

    it('outages of PostgreSQL after the commit do not take the acceptance back', async () => {
      gateway.answer = async () => {
        line.isFrozen = true
        throw new Error('Temporal is gone too')
      }
      const { response, body, milliseconds } = await post()
      line.isFrozen = false
      await line.cut()
      await line.open(port)
      assert.equal(response.status, 202, JSON.stringify(body))
      assert.ok(milliseconds < 2_000)
    })
  })

  it('outages differ from faults of our own', () => {
    const coded = (code: string) => Object.assign(new Error('x'), { code })
    for (const code of ['ECONNREFUSED', '57P01', '57P03', '08006', '53300', '57014']) {
      assert.equal(isDatabaseUnavailable(new Error('wrapped', { cause: coded(code) })), true, code)
    }
    for (const error of [coded('23505'), coded('42P01'), new TypeError('x'), 'text', null]) {
      assert.equal(isDatabaseUnavailable(error), false)
    }
  })
})
