import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connectBroker } from '#brokers/registry.ts'
import { openCredentials, sealCredentials } from '#db/broker/credentials.ts'
import { MAX_CONNECTIONS } from '#domain/account/broker-types.ts'
import { Account, BrokerConnection, Position } from '#db/entities/index.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { startVenue } from '#venue/server.ts'
import { createAccount, createConnection, createSignal, orderReport } from '../../support/factories.ts'
import { held } from '../../support/sample-position.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { CONTROL_SECRET, VenueDesk } from '../../support/venue-desk.ts'
import { addPerson } from '../support/person.ts'
import { startApi, type ApiServer, type TestUser } from '../support/api-server.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

describe('connections to brokers', function () {
  this.timeout(60_000)
  let venue: Awaited<ReturnType<typeof startVenue>>
  let desk: VenueDesk
  let api: ApiServer
  let user: TestUser
  /** Keys of an account at the venue that nobody has connected. */
  let keys: { keyId: string; secretKey: string }
  before(async () => {
    venue = await startVenue({ VENUE_CONTROL_SECRET: CONTROL_SECRET })
    desk = new VenueDesk(venue.url, '')
    api = await startApi({ connectBroker, venueUrl: venue.url, venueControlSecret: CONTROL_SECRET })
  })
  beforeEach(async () => {
    await desk.clearScript()
    user = await api.addUser()
    keys = await openAccount()
  })
  after(async () => {
    await api.stop()
    await venue.close()
  })

  async function openAccount() {
    const opened = { keyId: `KEY-${randomUUID()}`, secretKey: `canary-${randomUUID()}` }
    await desk.openAccount(opened, 5000)
    return opened
  }
  const em = () => api.database.em.fork()
  const call = (method: string, path = '', body?: unknown, token = user.token) =>
    api.call(method, `/api/v1/brokers${path}`, { token, body })
  const connect = (changes: object = {}) =>
    call('POST', '', { brokerType: 'paper', name: 'Desk', credentials: keys, ...changes })
  const connected = async () => (await connect()).body.data.broker
  const rows = (userId = user.userId) => em().find(BrokerConnection, { userId })
  const AUDITED = 'select kind from audit_events where user_id = ? order by sequence'
  const audited = async () => pluck(await em().execute(AUDITED, [user.userId]), 'kind')

  describe('that are made', () => {
    it('find the account that the keys belong to, with its balances, ready to trade', async () => {
      const { status, body } = await connect()
      assert.equal(status, 201, JSON.stringify(body))
      const { broker } = body.data
      assert.deepEqual(
        [broker.brokerType, broker.name, broker.status, broker.statusDetail],
        ['paper', 'Desk', 'connected', null],
      )
      assert.equal(broker.accounts.length, 1)
      const [account] = broker.accounts
      assert.deepEqual([account.isDemo, typeof account.lastSyncedAt], [true, 'string'])
      const shown = await api.call('GET', `/api/v1/accounts/${account.id}`, { token: user.token })
      assert.deepEqual([shown.body.equity, shown.body.brokerId], [5000, broker.id])
      const positions = await api.call('GET', `/api/v1/positions/${account.id}`, { token: user.token })
      assert.equal(positions.status, 200)
      assert.deepEqual(await audited(), ['broker.connected'])
    })

    it('become the primary account of a user who has none, and leave that of one who has', async () => {
      await em().execute('update accounts set is_primary = true where id = ?', [user.accountId])
      assert.equal((await connected()).accounts[0].isPrimary, false)
      const newcomer = await api.addUser()
      await em().execute('update accounts set is_active = false where user_id = ?', [newcomer.userId])
      keys = await openAccount()
      const { body } = await call('POST', '', { brokerType: 'paper', credentials: keys }, newcomer.token)
      assert.equal(body.data.broker.accounts[0].isPrimary, true)
      assert.equal(body.data.broker.name, 'Paper venue')
    })

    it('keep their keys sealed: in no answer, no log, no row and no audit entry', async () => {
      const broker = await connected()
      const answers = [
        await call('GET'),
        await call('GET', `/${broker.id}`),
        await call('POST', `/${broker.id}/test`),
        await call('PATCH', `/${broker.id}`, { credentials: keys }),
        await connect(),
        await connect({ credentials: { ...keys, extra: keys.secretKey } }),
      ]
      await api.whenIdle()
      const kept = [pluck(answers, 'body'), api.log]
      for (const table of ['broker_connections', 'accounts', 'audit_events'])
        kept.push(await em().execute(`select * from ${table}`))
      for (const secret of Object.values(keys)) assert.ok(!JSON.stringify(kept).includes(secret))
      const [row] = await em().find(BrokerConnection, { id: broker.id })
      const opened = openCredentials(secretKeys, {
        brokerId: row!.id,
        userId: user.userId,
        sealedCredentials: row!.sealedCredentials ?? null,
      })
      assert.deepEqual(opened, keys)
    })

    it('connections to brokers that are made with keys that the broker rejects are answered 409, and nothing is stored', async () => {
      const { status, body } = await connect({ credentials: { ...keys, secretKey: 'wrong' } })
      assert.deepEqual([status, body.code], [409, 'BROKER_CREDENTIALS_INVALID'])
      assert.equal(body.error, 'Wrong key or secret (account: 401)')
      assert.equal((await rows()).length, 1, 'the one that every user of these tests has')
      assert.deepEqual(await audited(), [])
      const impossible = await connect({ credentials: { ...keys, secretKey: 'läng' } })
      assert.equal(impossible.body.code, 'BROKER_CREDENTIALS_INVALID')
    })

    for (const mode of ['hang', '500', 'garbage'])
      it(`connections to brokers that are made with a broker that gives no usable answer (${mode}) are answered 502, and nothing is stored`, async () => {
        await desk.script([{ on: 'any', mode }])
        const { status, body } = await connect()
        assert.deepEqual([status, body.code], [502, 'BROKER_ERROR'])
        assert.equal((await rows()).length, 1)
      })

    it('name every fault of a request, down to each key', async () => {
      const faulty = { brokerType: 'bank', name: '', credentials: 'none', baseUrl: 'http://169.254.169.254' }
      const { status, body } = await call('POST', '', faulty)
      assert.deepEqual([status, pluck(body.details, 'field')], [400, Object.keys(faulty)])
      const keysOnly = await connect({ credentials: { keyId: 'x', password: 'y' } })
      assert.deepEqual(rowsOf(keysOnly.body.details, 'field', 'code'), [
        ['credentials.secretKey', 'required'],
        ['credentials.password', 'unrecognized_key'],
      ])
    })

    it('say whether the keys are for demo or live accounts where the broker has both', async () => {
      const unsaid = await connect({ brokerType: 'alpaca' })
      assert.deepEqual([unsaid.status, unsaid.body.details[0].field], [400, 'isDemo'])
      const live = await connect({ isDemo: false })
      assert.deepEqual([live.status, live.body.details[0].code], [400, 'not_offered'])
    })

    it('connections to brokers that are made to an account that is connected already are refused, however many ask at once', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => connect()))
      assert.deepEqual(
        pluck(answers, 'status').toSorted((a, b) => a - b),
        [201, ...Array.from({ length: 7 }, () => 409)],
      )
      assert.deepEqual(
        [...new Set(answers.flatMap(({ body }) => body.code ?? []))],
        ['ACCOUNT_ALREADY_CONNECTED'],
      )
      assert.equal((await rows()).length, 2)
    })

    it('connections to brokers that are made to an account that another user follows are warned of first, without a word about that user', async () => {
      await connected()
      const somebody = await api.addUser()
      const wanted = { brokerType: 'paper', credentials: keys }
      const warned = await call('POST', '', wanted, somebody.token)
      assert.deepEqual([warned.status, warned.body.code], [409, 'ACCOUNT_SHARED'])
      assert.ok(!JSON.stringify(warned.body).includes(user.userId))
      assert.equal((await rows(somebody.userId)).length, 1, 'nothing is stored')
      const { status } = await call('POST', '', { ...wanted, mayShare: true }, somebody.token)
      assert.equal(status, 201)
    })

    it('open a paper account of its own for a user, and the same one when it is asked for again', async () => {
      const person = await addPerson(api)
      const open = () => call('POST', '/paper-account', undefined, person.jwt)
      const [first, again] = [await open(), await open()]
      assert.deepEqual([first.status, again.status], [201, 200], JSON.stringify(first.body))
      const { broker } = first.body.data
      assert.equal(again.body.data.broker.id, broker.id)
      // As one that was opened under another control secret.
      assert.equal((await call('DELETE', `/${broker.id}`, undefined, person.jwt)).status < 300, true)
      await desk.openAccount({ keyId: `user-${person.userId}`, secretKey: 'of another time' }, 100_000)
      const reopened = await open()
      assert.deepEqual([reopened.status, reopened.body.data?.broker.id], [201, broker.id])
      const shown = await api.call('GET', `/api/v1/accounts/${broker.accounts[0].id}`, { token: person.jwt })
      assert.equal(shown.body.equity, 100_000)
      const second = () => call('POST', '/paper-account?number=2', undefined, person.jwt)
      const further = [await second(), await second()]
      assert.deepEqual(pluck(further, 'status'), [201, 200], JSON.stringify(further[0]!.body))
      assert.equal(further[0]!.body.data.broker.name, 'Paper account 2')
      assert.equal((await call('POST', '/paper-account')).status, 403, 'no token may')
    })

    it('connections to brokers that are made are limited in number', async () => {
      for (let more = 1; more < MAX_CONNECTIONS; more++) await createConnection(em(), { userId: user.userId })
      const { status, body } = await connect()
      assert.deepEqual([status, body.code], [409, 'BROKER_LIMIT_REACHED'])
    })
  })

  describe('that there are', () => {})

  describe('that are tried', () => {
    it('show that the broker answers, and are connected again', async () => {
      const { id } = await connected()
      await em().execute(
        `update broker_connections set status = 'error', status_detail = 'old' where id = ?`,
        [id],
      )
      const { status, body } = await call('POST', `/${id}/test`)
      assert.deepEqual(
        [status, body.data.broker.status, body.data.broker.statusDetail],
        [200, 'connected', null],
      )
    })

    it('show that the broker rejects the keys, from then on', async () => {
      const { id } = await connected()
      const wrong = { ...keys, secretKey: 'revoked' }
      const sealed = sealCredentials(secretKeys, { brokerId: id, userId: user.userId }, wrong)
      await em().nativeUpdate(BrokerConnection, { id }, { sealedCredentials: sealed })
      const { status, body } = await call('POST', `/${id}/test`)
      assert.deepEqual([status, body.code], [409, 'BROKER_CREDENTIALS_INVALID'])
      const { broker } = (await call('GET', `/${id}`)).body.data
      assert.equal(broker.status, 'error')
      assert.match(broker.statusDetail, /Wrong key or secret/)
    })
  })

  describe('that are changed', () => {
    it('take a new name, which their account takes too', async () => {
      const { id, accounts } = await connected()
      const { body } = await call('PATCH', `/${id}`, { name: 'Living room' })
      assert.deepEqual(
        [body.data.broker.name, body.data.broker.accounts[0].name],
        ['Living room', 'Living room'],
      )
      assert.equal((await em().findOneOrFail(Account, { id: accounts[0].id })).name, 'Living room')
      assert.deepEqual(await audited(), ['broker.connected', 'broker.renamed'])
    })

    it('refuse keys of another account: orders would find themselves there', async () => {
      const { id } = await connected()
      const { status, body } = await call('PATCH', `/${id}`, { credentials: await openAccount() })
      assert.deepEqual([status, body.code], [409, 'BROKER_ACCOUNT_CHANGED'])
    })

    it('take keys that the broker takes, and are connected again', async () => {
      const { id } = await connected()
      const before = (await em().findOneOrFail(BrokerConnection, { id })).sealedCredentials
      await em().execute(`update broker_connections set status = 'error' where id = ?`, [id])
      const { status, body } = await call('PATCH', `/${id}`, { credentials: keys })
      assert.deepEqual([status, body.data.broker.status], [200, 'connected'])
      assert.notEqual((await em().findOneOrFail(BrokerConnection, { id })).sealedCredentials, before)
      assert.deepEqual(await audited(), ['broker.connected', 'broker.keys_replaced'])
    })
  })

  describe('that are removed', () => {
    const remove = (id: string) => call('DELETE', `/${id}`)

    it('lose their keys for good, and keep the records of their trading', async () => {
      const { id, accounts } = await connected()
      const accountId = accounts[0].id
      const somebody = await createAccount(em(), {})
      const signal = await createSignal(em(), { accountId, status: 'rejected' })
      assert.equal((await remove(id)).status, 200)
      const [row] = await em().find(BrokerConnection, { id })
      assert.deepEqual([row!.sealedCredentials, row!.deletedAt instanceof Date], [null, true])
      assert.equal((await call('GET', `/${id}`)).status, 404)
      assert.equal((await call('GET')).body.data.total, 1)
      const kept = await api.call('GET', `/api/v1/signals/${signal.id}`, { token: user.token })
      assert.equal(kept.status, 200)
      const account = await api.call('GET', `/api/v1/accounts/${accountId}`, { token: user.token })
      assert.equal(account.body.isActive, false)
      assert.equal((await em().findOneOrFail(Account, { id: somebody.id })).isActive, true)
      assert.deepEqual(await audited(), ['broker.connected', 'broker.disconnected'])
    })

    it('hand being primary to the account that was connected first', async () => {
      const { id, accounts } = await connected()
      await em().execute('update accounts set is_primary = false where user_id = ?', [user.userId])
      await em().execute('update accounts set is_primary = true where id = ?', [accounts[0].id])
      await remove(id)
      const { isPrimary } = await em().findOneOrFail(Account, { id: user.accountId })
      assert.equal(isPrimary, true)
    })

    it('connections to brokers that are removed are kept while a signal waits, an order works or a position is open, and the answer says which', async () => {
      const { id, accounts } = await connected()
      const accountId = accounts[0].id
      const refused = async (words: RegExp) => {
        const { status, body } = await remove(id)
        assert.deepEqual([status, body.code], [409, 'BROKER_IN_USE'])
        assert.match(body.error, words)
      }
      const waiting = await createSignal(em(), { accountId, status: 'scheduled' })
      await refused(/1 signals wait/)
      await em().execute(`update signals set status = 'cancelled' where id = ?`, [waiting.id])

      const leaving = await createSignal(em(), { accountId, status: 'executed', exitStatus: 'scheduled' })
      await refused(/1 signals wait or have an exit to come/)
      await em().execute(`update signals set exit_status = 'filled' where id = ?`, [leaving.id])

      const traded = await createSignal(em(), { accountId })
      await recordAccepted(em(), orderReport(traded))
      await refused(/1 orders work/)
      await em().execute(`update orders set status = 'CANCELLED' where account_id = ?`, [accountId])

      const positions = [held('1', 'LONG')]
      await saveAccountSnapshot(
        em(),
        { accountId, userId: user.userId },
        { ...new ScriptedBroker().balances, positions },
      )
      await refused(/1 positions are open/)
      // Nobody knows what is held at a broker that has been out of touch for long.
      await em().execute(`update broker_connections set status = 'error' where id = ?`, [id])
      await refused(/1 positions are open/)
      await em().execute(`update accounts set last_synced_at = now() - interval '6 minutes' where id = ?`, [
        accountId,
      ])
      assert.equal((await remove(id)).status, 200)
      assert.equal(await em().count(Position, { accountId }), 0)
    })

    it('continue their history when the same account is connected again', async () => {
      const { id, accounts } = await connected()
      await remove(id)
      const again = await connect({ name: 'Desk again' })
      assert.equal(again.status, 201)
      const { broker } = again.body.data
      assert.deepEqual([broker.id, broker.accounts[0].id, broker.name], [id, accounts[0].id, 'Desk again'])
      const { isActive } = await em().findOneOrFail(Account, { id: accounts[0].id })
      assert.equal(isActive, true)
      assert.equal((await call('POST', `/${id}/test`)).status, 200)
    })

    it('connections to brokers that are removed are gone once, however many remove them at once', async () => {
      const { id } = await connected()
      const answers = await Promise.all(Array.from({ length: 6 }, () => remove(id)))
      assert.ok(answers.every(({ status }) => [200, 404].includes(status)))
      assert.ok(answers.some(({ status }) => status === 200))
      assert.deepEqual(await audited(), ['broker.connected', 'broker.disconnected'])
    })
  })
})
