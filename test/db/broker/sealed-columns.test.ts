import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { findAccountConnection } from '#db/account/sync.ts'
import { openCredentials } from '#db/broker/credentials.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { SEALED_COLUMNS, rewrapSecrets } from '#db/broker/sealed-columns.ts'
import { openSecret, sealSecret, SecretUnreadable, type EncryptionKeys } from '#db/broker/secret-box.ts'
import { createAccount, createConnection, createUser } from '#test/support/factories.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { useDatabase } from '#test/support/database.ts'

const KEYS = { keyId: 'KEY', secretKey: 'SECRET' }

describe('sealed columns', () => {
  let database: Database
  let em: EntityManager
  useDatabase((opened) => {
    database = opened
    em = database.em.fork()
  })
  beforeEach(() => em.execute('truncate users cascade'))

  const newer = (): EncryptionKeys => ({
    current: 'newer',
    keys: new Map([...secretKeys.keys, ['newer', randomBytes(32)]]),
  })

  it('sealed columns are all known to the rotation of keys', async () => {
    const columns = await em.execute<{ name: string }[]>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name like 'sealed%' order by 1`,
    )
    assert.deepEqual(
      columns.map(({ name }) => name),
      SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted(),
      'a new column of sealed secrets needs a row in SEALED_COLUMNS',
    )
  })

  it('hold the credentials of a broker so that the row alone opens nothing', async () => {
    const account = await createAccount(em)
    const connection = (await findAccountConnection(em, account.id))!
    assert.deepEqual(openCredentials(secretKeys, connection), KEYS)
    const [row] = await em.execute('select * from broker_connections where id = ?', [account.brokerId])
    assert.doesNotMatch(JSON.stringify(row), /SECRET/)
    const moved = { ...connection, userId: randomUUID() }
    assert.throws(() => openCredentials(secretKeys, moved), SecretUnreadable)
  })

  it('sealed columns are never without credentials while the connection is there', async () => {
    const { id } = await createConnection(em)
    await assert.rejects(
      em.execute('update broker_connections set sealed_credentials = null where id = ?', [id]),
    )
  })

  it('come under a new key one and all, however many, and stay readable on the way', async () => {
    const { id: userId } = await createUser(em)
    const place = { table: 'totp_factors', id: userId, userId, field: 'secret' }
    await em.execute('insert into totp_factors (user_id, sealed_secret) values (?, ?)', [
      userId,
      sealSecret(secretKeys, place, 'SEED'),
    ])
    for (let n = 0; n < 5; n++) await createConnection(em, { userId })
    const hookId = randomUUID()
    await em.execute(
      `insert into access_tokens (id, user_id, kind, label, prefix, scopes, expires_at) values (?, ?, 'hook', 'x', 'hook', '{}', null)`,
      [hookId, userId],
    )
    const ofHook = { table: 'hooks', id: hookId, userId, field: 'signingKey' }
    await em.execute(
      `insert into hooks (id, user_id, name, kind, settings, requests_per_minute, sealed_signing_key) values (?, ?, 'x', 'json', '{}', 60, ?)`,
      [hookId, userId, sealSecret(secretKeys, ofHook, 'KEY')],
    )
    const channelId = randomUUID()
    const ofChannel = { table: 'channels', id: channelId, userId, field: 'settings' }
    await em.execute(
      `insert into channels (id, user_id, kind, name, service, urgencies, sealed_settings) values (?, ?, 'email', 'x', 'email', '{}', ?)`,
      [channelId, userId, sealSecret(secretKeys, ofChannel, '{}')],
    )
    const keys = newer()
    const done = await rewrapSecrets(em, keys)
    assert.deepEqual(
      done.map(({ table, rewrapped, unreadable }) => [table, rewrapped, unreadable.length]),
      [
        ['broker_connections', 5, 0],
        ['totp_factors', 1, 0],
        ['hooks', 1, 0],
        ['channels', 1, 0],
      ],
    )
    const only = { current: 'newer', keys: new Map([['newer', keys.keys.get('newer')!]]) }
    const [factor] = await em.execute<{ sealed_secret: string }[]>('select sealed_secret from totp_factors')
    assert.equal(openSecret(only, place, factor!.sealed_secret), 'SEED')
    const [hook] = await em.execute<{ sealed: string }[]>('select sealed_signing_key as sealed from hooks')
    assert.equal(openSecret(only, ofHook, hook!.sealed), 'KEY')
    const again = await rewrapSecrets(em, keys)
    assert.equal(
      again.reduce((sum, { rewrapped }) => sum + rewrapped, 0),
      0,
    )
  })

  it('name values that cannot be read, leave them alone and go on', async () => {
    const spoilt = await createConnection(em)
    await createConnection(em, { userId: spoilt.userId })
    const text = spoilt.sealedCredentials!.slice(0, -4) + 'AAAA'
    const lost = `s1.gone.${spoilt.sealedCredentials!.split('.').slice(2).join('.')}`
    for (const sealed of [lost, 's1.test.x.y', 'nonsense']) {
      await em.execute('update broker_connections set sealed_credentials = ? where id = ?', [
        sealed,
        spoilt.id,
      ])
      const [{ unreadable } = { unreadable: [] }] = await rewrapSecrets(em, newer())
      assert.deepEqual(unreadable, [spoilt.id], sealed)
    }
    await em.execute('update broker_connections set sealed_credentials = ? where id = ?', [text, spoilt.id])
    await rewrapSecrets(em, newer())
    const account = await createAccount(em, { userId: spoilt.userId, brokerId: spoilt.id })
    const connection = (await findAccountConnection(em, account.id))!
    assert.throws(() => openCredentials(newer(), connection), SecretUnreadable)
  })
})
