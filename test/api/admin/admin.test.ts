import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { currentHalt } from '#db/risk/halts.ts'
import { createAccount } from '../../support/factories.ts'
import { addAdministrator } from '../support/administrator.ts'
import { signalBody } from '../support/api-server.ts'
import { addPerson, PASSWORD, signIn, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

describe('administration', () => {
  let admin: Person
  const api = useApi()
  before(async () => {
    admin = await addAdministrator(api)
  })

  const kindsOf = async (userId: string): Promise<string[]> => {
    const { body } = await admin.call('GET', `/admin/audit-log?userId=${userId}`)
    return body.data.events.map((event: { kind: string }) => event.kind)
  }

  describe('lets in', () => {
    const refused = async (person: Person, code: string) => {
      for (const [method, path] of [
        ['GET', '/admin/users'],
        ['GET', '/admin/audit-log'],
        ['PATCH', `/admin/users/${admin.userId}`],
        ['DELETE', `/admin/users/${admin.userId}/sessions`],
      ] as const) {
        const { status, body } = await person.call(
          method,
          path,
          method === 'PATCH' ? { plan: 'PRO' } : undefined,
        )
        assert.deepEqual([status, body.code], [403, code], `${method} ${path}`)
      }
    }

    it('no member', async () => refused(await addPerson(api), 'INSUFFICIENT_SCOPES'))

    it('no administrator without a second factor', async () =>
      refused(await addPerson(api, { role: 'admin' }), 'SECOND_FACTOR_REQUIRED'))

    it('no administrator whose second factor was shown long ago', async () => {
      const person = await addAdministrator(api)
      const age = (column: string) =>
        api.database.em.execute(
          `update sessions set ${column} = now() - interval '6 minutes' where user_id = ?`,
          [person.userId],
        )
      await age('second_factor_at')
      await refused(person, 'SECOND_FACTOR_REQUIRED')
      await age('verified_at')
      await refused(person, 'VERIFICATION_REQUIRED')
    })
  })

  it('makes a user, who chooses a password by the link that is sent, and signs in', async () => {
    const email = `${randomUUID()}@example.test`
    const made = await admin.call('POST', '/admin/users', { email, plan: 'PRO' })
    assert.deepEqual(
      [made.status, made.body.data.user.role, made.body.data.user.hasPassword],
      [201, 'member', false],
    )
    assert.equal((await signIn(api, email)).status, 401)
    await api.whenIdle()
    const mail = api.mails.findLast(({ to }) => to === email)!
    const token = /#token=(\S+)/.exec(mail.text)![1]
    const chosen = await api.call('POST', '/api/v1/auth/reset-password', {
      body: { token, password: PASSWORD },
    })
    assert.equal(chosen.status, 200)
    assert.equal((await signIn(api, email)).status, 200)
    const again = await admin.call('POST', '/admin/users', { email: email.toUpperCase() })
    assert.deepEqual([again.status, again.body.code], [409, 'EMAIL_TAKEN'])
    assert.ok((await kindsOf(made.body.data.user.id)).includes('admin.user_created'))
  })

  it('changes a plan with effect on the next request', async () => {
    const { token, userId } = await api.addUser()
    const standing = async () => (await api.call('GET', '/api/v1/signals', { token })).status
    assert.equal(await standing(), 200)
    const changed = await admin.call('PATCH', `/admin/users/${userId}`, { plan: 'FREE' })
    assert.deepEqual([changed.status, changed.body.data.user.plan], [200, 'FREE'])
    assert.equal(await standing(), 401)
    await admin.call('PATCH', `/admin/users/${userId}`, { plan: 'PRO' })
    assert.equal(await standing(), 200)
  })

  it('disables a user, whose every credential is refused at once, and enables them again', async () => {
    const person = await addPerson(api)
    await admin.call('PATCH', `/admin/users/${person.userId}`, { isDisabled: true })
    assert.equal((await person.call('GET', '/me')).status, 401)
    assert.equal((await signIn(api, person.email)).status, 401)
    await admin.call('PATCH', `/admin/users/${person.userId}`, { isDisabled: false })
    assert.equal((await person.call('GET', '/me')).status, 401, 'the session has ended for good')
    assert.equal((await signIn(api, person.email)).status, 200)
  })

  it('issues a legacy key that works within its scopes', async () => {
    const { userId, accountId } = await api.addUser()
    const issued = await admin.call('POST', `/admin/users/${userId}/legacy-keys`, {
      label: 'old sender',
      scopes: ['signals:write'],
    })
    assert.equal(issued.status, 201)
    const { key } = issued.body.data
    assert.match(key, /^dtk_/)
    const headers = { 'X-API-Key': key }
    const body = signalBody(accountId)
    assert.equal((await api.call('POST', '/api/v1/signals', { headers, body })).status, 201)
    assert.equal((await api.call('GET', '/api/v1/signals', { headers })).status, 403)
    assert.ok(!JSON.stringify(await api.database.em.execute('select * from audit_events')).includes(key))
  })

  it('lists and ends the sessions of a user', async () => {
    const person = await addPerson(api)
    const listed = await admin.call('GET', `/admin/users/${person.userId}/sessions`)
    assert.equal(listed.body.data.total, 1)
    assert.deepEqual((await admin.call('DELETE', `/admin/users/${person.userId}/sessions`)).body.data, {
      ended: 1,
    })
    assert.equal((await person.call('GET', '/me')).status, 401)
    assert.ok((await kindsOf(person.userId)).includes('admin.sessions_ended'))
  })

  it('administration does not let administrators lock themselves out', async () => {
    assert.equal((await admin.call('GET', `/admin/users/${randomUUID()}`)).body.code, 'USER_NOT_FOUND')
    for (const change of [{ role: 'member' }, { isDisabled: true }]) {
      const { status, body } = await admin.call('PATCH', `/admin/users/${admin.userId}`, change)
      assert.deepEqual([status, body.code], [409, 'OWN_ACCOUNT'])
    }
  })

  it('shows users in pages, without their secrets', async () => {
    const { body } = await admin.call('GET', '/admin/users?limit=2')
    assert.equal(body.data.users.length, 2)
    assert.ok(body.data.total > 2)
    assert.doesNotMatch(JSON.stringify(body), /argon2|hash/i)
  })

  describe('a halt of one user by an administrator', () => {
    let person: Person
    let accountId: string
    beforeEach(async () => {
      person = await addPerson(api)
      accountId = (await createAccount(api.database.em, { userId: person.userId })).id
    })

    const path = () => `/admin/users/${person.userId}/halt`
    const set = (level: string) => admin.call('PUT', path(), { level, reason: 'stolen keys' })
    const standing = () => currentHalt(api.database.em.fork(), accountId)

    it('binds all accounts of that user, is seen by both, and binds no other user', async () => {
      const { status, body } = await set('reduceOnly')
      assert.deepEqual([status, body.data.halt.scope, body.data.halt.level], [200, 'operator', 'reduceOnly'])
      assert.deepEqual(await standing(), { level: 'reduceOnly', scope: 'operator', reason: 'stolen keys' })
      const [seen] = (await person.call('GET', '/settings/halts')).body.data.halts
      assert.deepEqual([seen.scope, seen.setBy, seen.liftedAt], ['operator', 'operator', null])
      const shown = (await admin.call('GET', `/admin/users/${person.userId}`)).body.data
      assert.equal(shown.halt.id, seen.id)
      const other = await addPerson(api)
      const theirs = await createAccount(api.database.em, { userId: other.userId })
      assert.equal(await currentHalt(api.database.em.fork(), theirs.id), null)
    })

    it('a halt of one user by an administrator cannot be lifted or made milder by that user, whose own halts exist beside it', async () => {
      await set('reduceOnly')
      assert.equal((await person.call('DELETE', '/settings/halt')).status, 404)
      const own = await person.call('PUT', '/settings/halt', { level: 'pauseEntries', reason: 'mine' })
      assert.deepEqual([own.status, own.body.data.halt.scope], [200, 'user'])
      assert.equal((await standing())?.level, 'reduceOnly')
      assert.equal((await person.call('DELETE', '/settings/halt')).status, 200)
      assert.equal((await standing())?.level, 'reduceOnly')
      assert.equal((await person.call('DELETE', path())).status, 403)
    })

    it('a halt of one user by an administrator is lifted by an administrator, and leaves what the user has set', async () => {
      await set('fullStop')
      await person.call('PUT', '/settings/halt', { level: 'pauseEntries', reason: 'mine' })
      assert.equal((await admin.call('DELETE', path())).status, 200)
      assert.deepEqual(await standing(), { level: 'pauseEntries', scope: 'user', reason: 'mine' })
      assert.equal((await admin.call('DELETE', path())).status, 404)
      const { events } = (await person.call('GET', '/audit-log')).body.data
      const kinds = events.map(({ kind }: { kind: string }) => kind)
      assert.ok(kinds.includes('admin.halt_set') && kinds.includes('admin.halt_lifted'))
    })
  })
})
