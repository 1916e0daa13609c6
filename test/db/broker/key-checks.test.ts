import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Database } from '#db/engine/database.ts'
import { requireKnownKeys, WrongKeys } from '#db/broker/key-checks.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { useDatabase } from '#test/support/database.ts'

describe('the check of the keys that a process was given', () => {
  let database: Database
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(() => database.em.execute('delete from encryption_key_checks'))

  const key = randomBytes(32)
  const ring = (current: string, keys: Record<string, Buffer>): EncryptionKeys => ({
    current,
    keys: new Map(Object.entries(keys)),
  })
  const check = (keys: EncryptionKeys) => requireKnownKeys(database.em, keys)

  it('passes the first process, and every other one with the same keys, and refuses one with another key file', async () => {
    for (let process = 0; process < 2; process++) await check(ring('k1', { k1: key }))
    await assert.rejects(check(ring('k9', { k9: randomBytes(32) })), WrongKeys)
    await check(ring('k1', { k1: key }))
  })

  it('refuses a process with another key under the same id, and names no key', async () => {
    await check(ring('k1', { k1: key }))
    await assert.rejects(check(ring('k1', { k1: randomBytes(32) })), (error: Error) => {
      assert.ok(error instanceof WrongKeys && !error.message.includes(key.toString('hex')))
      return true
    })
  })

  it('refuses a copy of the key file from before the last rotation', async () => {
    await check(ring('k1', { k1: key }))
    await check(ring('k2', { k1: key, k2: randomBytes(32) }))
    await assert.rejects(check(ring('k1', { k1: key })), /lacks key k2/)
  })

  it('lets exactly one of two processes with different keys be the first', async () => {
    const tries = ['k1', 'k2'].map((id) => check(ring(id, { [id]: randomBytes(32) })))
    const settled = await Promise.allSettled(tries)
    assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })
})
