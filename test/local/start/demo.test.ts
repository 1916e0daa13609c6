import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { isRightPassword } from '#api/identity/password-hash.ts'
import { removeBroker } from '#db/broker/removal.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { AccessToken, Account, BrokerConnection, User } from '#db/entities/index.ts'
import { ensureDemo } from '#local/start/demo.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import { readSettings, venueSettings } from '#config/env.ts'
import { startVenue } from '#venue/server.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

describe('the demo account', () => {
  const folder = useTemporaryFolder()
  const venueKeys = { venueKeyId: 'PK-DEMO', venueSecretKey: 'secret', venueControlSecret: 'control' }
  let venue: Awaited<ReturnType<typeof startVenue>>
  let testDatabase: TestDatabase
  let database: Database

  beforeEach(async () => {
    testDatabase = await createTestDatabase()
    database = await openDatabase(testDatabase.url, 2)
    venue = await startVenue({
      ...readSettings(venueSettings, {
        VENUE_DATA: folder.path('venue.sqlite'),
        VENUE_KEY_ID: venueKeys.venueKeyId,
        VENUE_SECRET_KEY: venueKeys.venueSecretKey,
        VENUE_CASH: '250000',
      }),
      VENUE_PORT: 0,
    })
  })
  afterEach(async () => {
    await venue.close()
    await database.close(true)
    await testDatabase.drop()
  })

  const ensure = () =>
    ensureDemo({
      databaseUrl: testDatabase.url,
      secretKeys,
      credentialsFile: folder.path('demo-credentials.json'),
      addresses: {
        apiUrl: 'http://127.0.0.1:3000/api/v1',
        webUrl: 'http://127.0.0.1:3000',
        temporalUiUrl: 'http://127.0.0.1:8233',
        venueUrl: venue.url,
        portBase: 4000,
      },
      venueKeys,
    })
  const counts = async () => {
    const em = database.em.fork()
    return {
      users: await em.count(User),
      tokens: await em.count(AccessToken),
      connections: await em.count(BrokerConnection),
      accounts: await em.count(Account),
    }
  }

  it('the demo account is opened once, synced from the venue, with a file for its owner only', async () => {
    const { credentials, isNew } = await ensure()
    assert.equal(isNew, true)
    assert.equal(credentials.portBase, 4000)
    const file = folder.path('demo-credentials.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), credentials)
    const account = await database.em.fork().findOneOrFail(Account, { id: credentials.accountId })
    assert.equal(Number(account.equity), 250_000)
    assert.equal(account.isDemo && account.isPrimary && account.lastSyncedAt !== null, true)
  })

  it('stays as it is at every later start', async () => {
    const first = await ensure()
    const second = await ensure()
    assert.equal(second.isNew, false)
    assert.deepEqual(second.credentials, first.credentials)
    assert.deepEqual(await counts(), { users: 1, tokens: 1, connections: 1, accounts: 1 })
  })

  it('stays disconnected when its owner has removed the connection, and gets no new keys', async () => {
    const { credentials } = await ensure()
    const em = database.em.fork()
    const { brokerId, userId } = await em.findOneOrFail(Account, { id: credentials.accountId })
    assert.equal(await removeBroker(em, userId, brokerId), 'removed')
    await ensure()
    const account = await database.em.fork().findOneOrFail(Account, { id: credentials.accountId })
    const connection = await database.em.fork().findOneOrFail(BrokerConnection, { id: brokerId })
    assert.deepEqual([account.isActive, connection.sealedCredentials], [false, null])
    assert.deepEqual(await counts(), { users: 1, tokens: 1, connections: 1, accounts: 1 })
  })

  it('gets a new token and keeps account and password when the file was removed', async () => {
    const first = await ensure()
    rmSync(folder.path('demo-credentials.json'))
    const second = await ensure()
    assert.notEqual(second.credentials.token, first.credentials.token)
    assert.equal(second.credentials.password, null, 'it is as it was, which nobody knows here')
    const { passwordHash } = await database.em.fork().findOneOrFail(User, { email: first.credentials.email })
    assert.ok(await isRightPassword(passwordHash ?? null, first.credentials.password!))
    assert.deepEqual((await ensure()).credentials, second.credentials)
    assert.equal(second.credentials.accountId, first.credentials.accountId)
    assert.deepEqual(await counts(), { users: 1, tokens: 2, connections: 1, accounts: 1 })
  })

  it('the demo account does not give a revoked token its power back', async () => {
    await ensure()
    await database.em.fork().nativeUpdate(AccessToken, {}, { revokedAt: new Date() })
    await ensure()
    assert.equal(await database.em.fork().count(AccessToken, { revokedAt: null }), 0)
  })
})
