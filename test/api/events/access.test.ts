import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { eventually } from '../../support/eventually.ts'
import type { TestUser } from '../support/api-server.ts'
import { EventClient } from '../support/event-client.ts'
import { addPerson, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const HEARTBEAT = 150

describe('who may follow GET /events', () => {
  let user: TestUser
  const clients: EventClient[] = []
  const api = useApi({ events: { heartbeat: HEARTBEAT, streamsPerUser: 3 } })
  beforeEach(async () => {
    user = await api.addUser()
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })

  const follow = async (query: string, token?: string) => {
    const client = await EventClient.open(
      `${api.address}/api/v1/events${query}`,
      token === undefined ? {} : { token },
    )
    clients.push(client)
    await client.first('ready')
    return client
  }
  const ask = (query: string, token?: string) => api.call('GET', `/api/v1/events${query}`, { token })
  const run = (sql: string, ...parameters: unknown[]) => api.database.em.execute(sql, parameters)

  describe('by scope', () => {
    it('everybody who may read trading; accounts are left out without accounts:read', async () => {
      const token = await user.mint({ scopes: ['trading:read'] })
      const client = await follow('', token)
      assert.deepEqual((await client.first('ready')).data.topics, [
        'signals',
        'groups',
        'orders',
        'positions',
        'alerts',
        'trades',
        'halts',
        'user',
      ])
      await run(`update accounts set name = 'x' where id = ?`, user.accountId)
      await run(
        `insert into alerts (user_id, account_id, kind, message) values (?, ?, 'credentials', 'x')`,
        user.userId,
        user.accountId,
      )
      await client.first('alert')
      assert.ok(!client.events.some(({ event }) => event === 'account'))
    })

    it('no other user, also when the record is asked for by name', async () => {
      const accountsOnly = await user.mint({ scopes: ['accounts:read'] })
      const tradingOnly = await user.mint({ scopes: ['trading:read'] })
      for (const [query, token] of [
        ['', accountsOnly],
        ['?topics=accounts', accountsOnly],
        ['?topics=orders,accounts', tradingOnly],
      ] as const) {
        const { status, body } = await ask(query, token)
        assert.deepEqual([status, body.code], [403, 'INSUFFICIENT_SCOPES'], query)
      }
    })
  })

  describe('by a ticket, which browsers need', () => {
    let person: Person
    beforeEach(async () => {
      person = await addPerson(api)
    })
    const ticket = async (): Promise<string> => {
      const { status, body } = await person.call('POST', '/events/ticket')
      assert.equal(status, 201)
      const left = new Date(body.data.expiresAt).getTime() - Date.now()
      assert.ok(left > 20_000 && left < 31_000, `${left} ms`)
      return body.data.ticket
    }

    it('the holder of the ticket, once', async () => {
      const text = await ticket()
      const client = await follow(`?ticket=${text}&topics=orders`)
      assert.deepEqual((await client.first('ready')).data.topics, ['orders'])
      assert.equal((await ask(`?ticket=${text}`)).status, 401)
    })

    it('a ticket lets in one of two who come with it at once to follow GET /events', async () => {
      const text = await ticket()
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(`?ticket=${text}`)))
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, ...Array<number>(9).fill(401)],
      )
    })

    it('a ticket opens GET /events not after half a minute, not with another credential, not twice, not elsewhere, not invented', async () => {
      const late = await ticket()
      await run('update event_tickets set expires_at = now() where user_id = ?', person.userId)
      assert.equal((await ask(`?ticket=${late}`)).status, 401)
      assert.equal((await ask(`?ticket=${await ticket()}`, person.jwt)).status, 401)
      assert.equal((await ask(`?ticket=${await ticket()}&ticket=x`)).status, 400)
      assert.equal((await api.call('GET', `/api/v1/orders?ticket=${await ticket()}`)).status, 401)
      for (const query of ['?ticket=', '?ticket=x', `?ticket=${randomUUID()}`])
        assert.equal((await ask(query)).status, 401, query)
    })

    it('the text of a ticket for GET /events is written down nowhere', async () => {
      const text = await ticket()
      await follow(`?ticket=${text}`)
      assert.ok(!JSON.stringify(api.log).includes(text))
      const other = await ticket()
      const [row] = await api.database.em.execute<{ text: string }[]>(
        'select t::text as text from event_tickets t where user_id = ?',
        [person.userId],
      )
      assert.ok(!row!.text.includes(other))
    })

    it('a ticket for GET /events is given to people alone', async () => {
      assert.equal((await api.call('POST', '/api/v1/events/ticket', { token: user.token })).status, 403)
    })
  })

  describe('and no longer', () => {
    const endsOf = async (client: EventClient) => {
      await client.closed()
      return client.events.at(-1)!
    }
    const assertEnded = async (client: EventClient) => {
      const { event, data } = await endsOf(client)
      assert.deepEqual([event, data.reason], ['end', 'unauthenticated'])
    }

    it('following GET /events ends with a token that is revoked, or expires', async () => {
      const own = { other: await follow('', user.token) }
      for (const column of ['revoked_at', 'expires_at']) {
        const client = await follow('', await user.mint({ label: column }))
        await run(
          `update access_tokens set ${column} = now() where user_id = ? and label = ?`,
          user.userId,
          column,
        )
        await assertEnded(client)
      }
      assert.equal(own.other.isClosed, false)
    })

    it('following GET /events ends with a token that has lost a scope, or whose owner has left the plan that holds tokens', async () => {
      const scoped = await follow('', await user.mint({ label: 'scoped' }))
      await run(`update access_tokens set scopes = '{trading:read}' where label = 'scoped'`)
      await assertEnded(scoped)
      const planned = await follow('', user.token)
      await run(`update users set plan = 'FREE' where id = ?`, user.userId)
      await assertEnded(planned)
    })

    it('following GET /events ends with a session that has ended, by JWT and by ticket', async () => {
      const person = await addPerson(api)
      const { body } = await person.call('POST', '/events/ticket')
      const both = [await follow('', person.jwt), await follow(`?ticket=${body.data.ticket}`)]
      await person.call('DELETE', '/sessions/' + (await sessionOf(person)))
      for (const client of both) await assertEnded(client)
    })

    it('following GET /events ends with a user who is disabled', async () => {
      const client = await follow('', user.token)
      await run('update users set disabled_at = now() where id = ?', user.userId)
      await assertEnded(client)
    })

    it('following GET /events ends with a JWT that has expired', async () => {
      const person = await addPerson(api)
      const { header, payload } = jwt.decode(person.jwt, { complete: true })!
      const exp = Math.floor(Date.now() / 1_000) + 2
      const { iat, ...claims } = payload as jwt.JwtPayload
      const short = jwt.sign({ ...claims, exp }, api.signingKey, { header })
      const client = await follow('', short)
      await assertEnded(client)
      assert.ok(Date.now() >= exp * 1_000 && iat !== undefined)
    })

    const sessionOf = async (person: Person): Promise<string> =>
      (await person.call('GET', '/sessions')).body.data.sessions[0].id
  })

  it('a user may follow GET /events by the number of streams they may hold, and again when one is closed; each user for themself', async () => {
    const held = []
    for (let n = 0; n < 3; n++) held.push(await follow('', user.token))
    const { status, body, headers } = await ask('', user.token)
    assert.deepEqual([status, body.error, body.code], [429, 'rate_limited', 'RATE_LIMIT_EXCEEDED'])
    assert.match(body.message, /3 event streams/)
    assert.ok(Number(headers.get('retry-after')) > 0)
    await follow('', (await api.addUser()).token)
    held[0]!.close()
    await eventually(async () => assert.equal((await ask('', user.token)).status, 200))
  })

  it('a follower of GET /events is asked every heartbeat of all at once, and shown to be alive by a comment with its progress', async () => {
    const client = await follow('', user.token)
    const { lastEventId } = client
    // Somebody else's changes take the place along.
    const other = await api.addUser()
    await run(`update accounts set name = 'elsewhere' where id = ?`, other.accountId)
    await eventually(() => {
      assert.ok(client.comments >= 2)
      assert.ok(BigInt(client.lastEventId) > BigInt(lastEventId))
    })
  })
})
