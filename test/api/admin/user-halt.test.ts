import assert from 'node:assert/strict'
import { currentHalt } from '#db/risk/halts.ts'
import { createAccount } from '../../support/factories.ts'
import { addAdministrator } from '../support/administrator.ts'
import { addPerson, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

describe('a halt of one user by an administrator', () => {
  let admin: Awaited<ReturnType<typeof addAdministrator>>
  let person: Person
  let accountId: string
  const api = useApi()
  before(async () => {
    admin = await addAdministrator(api)
  })
  beforeEach(async () => {
    person = await addPerson(api)
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
  })

  const path = () => `/admin/users/${person.userId}/halt`
  const set = (level: string) => admin.call('PUT', path(), { level, reason: 'stolen keys' })
  const standing = () => currentHalt(api.database.em.fork(), accountId)

  it('binds all accounts of that user, is seen by both, and binds nobody else', async () => {
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

  it('a halt of one user by an administrator cannot be lifted or made milder by that user, whose own halts stand beside it', async () => {
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
