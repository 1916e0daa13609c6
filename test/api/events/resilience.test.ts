import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '#db/engine/database.ts'
import { eventually } from '../../support/eventually.ts'
import { copySignal, createSignal } from '../../support/factories.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers.ts'
import { startApi, type ApiServer, type TestUser } from '../support/api-server.ts'
import { EventClient } from '../support/event-client.ts'

const LISTENERS = `application_name = 'durable-trader live events'`

describe('event streams', function () {
  this.timeout(120_000)
  let server: TestDatabase
  let api: ApiServer
  let user: TestUser
  const clients: EventClient[] = []
  const stalled: IncomingMessage[] = []
  beforeEach(async () => {
    server = await createTestDatabase()
    api = await start()
    user = await api.addUser()
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    for (const response of stalled.splice(0)) response.destroy()
    await api.stop()
    await server.drop()
  })

  const start = (events: { heartbeat?: number; streamsPerUser?: number } = {}) =>
    startApi({ databaseUrl: server.url, events })
  const restart = async (events: Parameters<typeof start>[0]) => {
    await api.stop()
    api = await start(events)
  }
  const open = async (to: ApiServer, options: { token?: string; lastEventId?: string } = {}) => {
    const client = await EventClient.open(`${to.address}/api/v1/events`, { token: user.token, ...options })
    clients.push(client)
    return client
  }
  const follow = async (...args: Parameters<typeof open>) => {
    const client = await open(...args)
    assert.equal(client.status, 200)
    await client.first('ready')
    return client
  }
  const rename = (name: string, em: EntityManager = api.database.em) =>
    em.execute('update accounts set name = ? where id = ?', [name, user.accountId])
  const named = (name: string) => (event: { data: { name?: string } }) => event.data.name === name
  const listeners = async (): Promise<number> => {
    const [row] = await api.database.em.execute<{ count: number }[]>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and ${LISTENERS}`,
    )
    return row!.count
  }
  const cut = (condition: string) =>
    api.database.em.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
    )

  it('event streams of 200 clients take one listening connection, and none of the pool while they wait', async () => {
    await restart({ streamsPerUser: 20 })
    const users = await Promise.all(Array.from({ length: 20 }, () => api.addUser()))
    const all: EventClient[] = []
    for (const { token } of users)
      all.push(...(await Promise.all(Array.from({ length: 10 }, () => follow(api, { token })))))
    assert.equal(all.length, 200)
    await eventually(async () => assert.equal(await listeners(), 1))
    await eventually(async () => {
      const [row] = await api.database.em.execute<{ busy: number }[]>(
        `select count(*)::int as busy from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      )
      assert.equal(row!.busy, 0)
    })
    for (const { accountId } of users)
      await api.database.em.execute(`update accounts set name = 'to all' where id = ?`, [accountId])
    await Promise.all(all.map((client) => client.until(named('to all'))))
    // Each was told of their own account, and of no other.
    for (const [index, client] of all.entries())
      assert.deepEqual(
        client.events.filter(({ event }) => event === 'account').map(({ data }) => data.id),
        [users[Math.floor(index / 10)]!.accountId],
      )
  })

  it('get the events of the time without a process from the process that follows', async () => {
    const first = await follow(api)
    await rename('before')
    await first.until(named('before'))
    const other = await startApi({ databaseUrl: server.url })
    try {
      await api.stop()
      await first.closed()
      const { event, data } = first.events.at(-1)!
      assert.deepEqual([event, data.reason], ['end', 'shutdown'])
      const signal = await createSignal(other.database.em, { accountId: user.accountId })
      await rename('between', other.database.em)
      const second = await open(other, { lastEventId: first.lastEventId })
      await second.until(named('between'))
      assert.equal((await second.first('signal')).data.id, signal.id)
      assert.ok(!second.events.some(({ event: kind }) => kind === 'reset'))
    } finally {
      api = other
    }
  })

  it('event streams are ended at once by a process that stops, and not opened by it any more', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => follow(api)))
    const begin = performance.now()
    const stopped = api.stop()
    for (const client of all) {
      await client.closed()
      assert.equal(client.events.at(-1)!.event, 'end')
    }
    await stopped
    assert.ok(performance.now() - begin < 4_000, 'it waited for the streams')
    api = await start()
  })

  it('go on when every connection breaks at once, as when PostgreSQL restarts, and miss nothing', async () => {
    const client = await follow(api)
    for (let round = 1; round <= 2; round++) {
      const name = `round ${round}`
      await eventually(() => rename(name))
      await eventually(() => cut('true'))
      await client.until(named(name))
    }
    await eventually(async () => assert.equal(await listeners(), 1))
    assert.ok(!client.events.some(({ event }) => event === 'reset'))
  })

  describe('of a client that does not read', () => {
    /** Takes the answer and leaves it in the line. */
    const stall = async (): Promise<{ response: IncomingMessage; isCut: () => boolean }> => {
      const asked = request(`${api.address}/api/v1/events`, {
        headers: { Authorization: `Bearer ${user.token}` },
      })
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        asked.on('response', resolve).on('error', reject).end()
      })
      let isCut = false
      response.on('error', () => (isCut = true)).on('close', () => (isCut = true))
      response.pause()
      stalled.push(response)
      return { response, isCut: () => isCut }
    }
    /** Each signal so large that some hundreds fill every buffer between the two ends. */
    const many = async (count: number) => {
      const { id } = await createSignal(api.database.em, {
        accountId: user.accountId,
        metadata: { note: 'x'.repeat(50_000) },
      })
      await copySignal(api.database.em, id, count)
    }
    const textOf = async (response: IncomingMessage, until: RegExp): Promise<string> => {
      const chunks: string[] = []
      response.setEncoding('utf8')
      for await (const chunk of response) {
        chunks.push(String(chunk))
        // It may be cut in two.
        if (until.test(chunks.slice(-2).join(''))) break
      }
      return chunks.join('')
    }

    it('a client that does not read delays no other stream, and loses nothing: it gets the last state when it reads', async () => {
      const { response } = await stall()
      const quick = await follow(api)
      await many(300)
      await eventually(() => assert.equal(quick.events.filter(({ event }) => event === 'signal').length, 301))
      await api.database.em.execute(`update signals set status_detail = 'last' where user_id = ?`, [
        user.userId,
      ])
      await eventually(() =>
        assert.equal(quick.events.filter(({ data }) => data.statusDetail === 'last').length, 301),
      )
      await rename('the end')
      const text = await textOf(response, /"name":"the end"/)
      const told = [...text.matchAll(/^event: signal\ndata: (.*)$/gm)].map(
        ([, data]) => JSON.parse(data!) as { id: string; statusDetail: string | null },
      )
      const last = new Map(told.map(({ id, statusDetail }) => [id, statusDetail]))
      assert.deepEqual([last.size, new Set(last.values())], [301, new Set(['last'])])
    })

    it('begin again when more has changed than is kept for it', async () => {
      const { response } = await stall()
      await many(300)
      await sleep(300)
      await many(1_100)
      await sleep(300)
      const text = await textOf(response, /event: reset\n/)
      assert.match(text, /event: reset\ndata: {"at":/)
    })

    it('event streams of a client that does not read are cut in the end', async () => {
      await restart({ heartbeat: 200 })
      const { response, isCut } = await stall()
      await many(300)
      await eventually(
        () => {
          const line = api.log.find(({ msg }) => msg === 'an event stream has ended')
          assert.ok(line)
        },
        { within: 40_000 },
      )
      response.resume()
      await eventually(() => assert.ok(isCut()))
    })
  })
})
