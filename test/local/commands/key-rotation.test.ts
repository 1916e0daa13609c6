import assert from 'node:assert/strict'
import { keysFor, readKeyRing, takeKeyIntoUse, announceKey } from '#config/key-ring.ts'
import { openCredentials, sealCredentials } from '#db/broker/credentials.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { BrokerConnection } from '#db/entities/index.ts'
import { rotateKeys } from '#local/commands/key-rotation.ts'
import { createConnection } from '#test/support/factories.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

describe('npm run keys:rotate', () => {
  const folder = useTemporaryFolder()
  const keyFile = () => folder.path('keys.json')
  let server: TestDatabase
  let database: Database
  beforeEach(async () => {
    server = await createTestDatabase()
    database = await openDatabase(server.url, 2)
    await readKeyRing(keyFile(), true)
  })
  afterEach(async () => {
    await database.close(true)
    await server.drop()
  })

  const sealing = async () => keysFor(await readKeyRing(keyFile(), false), 'stored-secrets')
  const rotate = () => rotateKeys({ keyFile: keyFile(), database }, () => {}, 1)
  async function connection() {
    const { id, userId } = await createConnection(database.em)
    const sealedCredentials = sealCredentials(await sealing(), { brokerId: id, userId }, { keyId: 'K' })
    await database.em.fork().nativeUpdate(BrokerConnection, { id }, { sealedCredentials })
    return async () => {
      const row = await database.em.fork().findOneOrFail(BrokerConnection, { id })
      const sealed = { brokerId: id, userId, sealedCredentials: row.sealedCredentials! }
      assert.deepEqual(openCredentials(await sealing(), sealed), { keyId: 'K' })
      return sealed.sealedCredentials.split('.')[1]
    }
  }

  it('brings every secret under a new key', async () => {
    const keyOf = await connection()
    const before = await keyOf()
    const { current, rewrapped, unreadable, wasResumed } = await rotate()
    assert.notEqual(current, before)
    assert.deepEqual([rewrapped, unreadable, wasResumed, await keyOf()], [1, [], false, current])
    assert.equal((await readKeyRing(keyFile(), false)).keys.size, 2)
  })

  it('goes on with a key that was announced and not used yet', async () => {
    const announced = await announceKey(keyFile())
    assert.equal((await rotate()).current, announced)
    assert.equal((await readKeyRing(keyFile(), false)).keys.size, 2)
  })

  it('ends a rotation that was cut off among the secrets, and makes no further key', async () => {
    const keyOf = await connection()
    const announced = await announceKey(keyFile())
    await takeKeyIntoUse(keyFile(), announced)
    const { current, wasResumed } = await rotate()
    assert.deepEqual([current, wasResumed, await keyOf()], [announced, true, announced])
    assert.equal((await readKeyRing(keyFile(), false)).keys.size, 2)
    assert.equal((await rotate()).wasResumed, false)
    assert.equal((await readKeyRing(keyFile(), false)).keys.size, 3)
  })
})
