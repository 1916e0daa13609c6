import assert from 'node:assert/strict'
import { recordConnectionHealth, recordSilence, type ConnectionHealth } from '#db/broker/connection-health.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { BrokerConnection } from '#db/entities/index.ts'
import { createAccount, createConnection } from '../../support/factories.ts'
import { useDatabase } from '../../support/database.ts'

describe('the health of a connection', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const REFUSED: ConnectionHealth = { found: 'rejected', detail: 'revoked' }
  const SILENT: ConnectionHealth = { found: 'silent', detail: 'no answer in time' }
  const ANSWERING: ConnectionHealth = { found: 'answering' }
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
  const standing = async (id: string) => {
    const { status, statusDetail } = await em.fork().findOneOrFail(BrokerConnection, { id })
    return [status, statusDetail]
  }

  it('the health of a connection is error while the broker rejects the keys, and connected when it answers again', async () => {
    const { id } = await createConnection(em)
    await recordConnectionHealth(em, id, REFUSED)
    assert.deepEqual(await standing(id), ['error', 'revoked'])
    await recordConnectionHealth(em, id, ANSWERING)
    assert.deepEqual(await standing(id), ['connected', null])
  })

  it('stays connected while the broker is silent for a moment, and is error when that lasts', async () => {
    const { brokerId, id } = await createAccount(em, { lastSyncedAt: ago(30) })
    await recordConnectionHealth(em, brokerId, SILENT)
    assert.deepEqual(await standing(brokerId), ['connected', null])
    await em.execute('update accounts set last_synced_at = ? where id = ?', [ago(61), id])
    await recordConnectionHealth(em, brokerId, SILENT)
    assert.deepEqual(await standing(brokerId), ['error', 'no answer in time'])
  })

  it('shows when the broker last answered, and is not written again for the same within seconds', async () => {
    const { id } = await createConnection(em)
    await recordConnectionHealth(em, id, ANSWERING)
    const checkedAt = async () => (await em.fork().findOneOrFail(BrokerConnection, { id })).lastCheckedAt!
    const first = await checkedAt()
    assert.ok(Math.abs(first.getTime() - Date.now()) < 60_000)
    await recordConnectionHealth(em, id, ANSWERING)
    assert.deepEqual(await checkedAt(), first)
    await em.execute('update broker_connections set last_checked_at = ? where id = ?', [ago(6), id])
    await recordConnectionHealth(em, id, ANSWERING)
    assert.ok((await checkedAt()) >= first)
  })

  it('the health of a connection shows since when the broker owes an answer, from the first silence on, until it answers', async () => {
    const { id } = await createConnection(em)
    const known = async () => {
      const { unansweredSince, lastCheckedAt } = await em.fork().findOneOrFail(BrokerConnection, { id })
      return { since: unansweredSince?.getTime() ?? null, answered: lastCheckedAt?.getTime() ?? null }
    }
    await recordConnectionHealth(em, id, ANSWERING)
    const { answered } = await known()
    await recordSilence(em, id, 5_000)
    const { since } = await known()
    assert.ok(since !== null && Math.abs(Date.now() - 5_000 - since) < 60_000)
    await recordSilence(em, id, 7_000)
    await recordConnectionHealth(em, id, SILENT)
    assert.deepEqual(await known(), { since, answered }, 'the first silence counts, and is no answer')
    await recordSilence(em, id, null)
    assert.equal((await known()).since, null)
    await recordConnectionHealth(em, id, SILENT)
    assert.notEqual((await known()).since, null)
    await recordConnectionHealth(em, id, ANSWERING)
    assert.equal((await known()).since, null)
    await recordSilence(em, id, 5_000)
    await recordConnectionHealth(em, id, REFUSED)
    assert.equal((await known()).since, null, 'a refusal is an answer')
  })

  it('shows since when the broker has failed, with anything else it says meanwhile, until it answers', async () => {
    const { id } = await createConnection(em)
    const since = async () => (await em.fork().findOneOrFail(BrokerConnection, { id })).failingSince
    assert.equal(await since(), null)
    await recordConnectionHealth(em, id, REFUSED)
    const first = await since()
    assert.ok(first && Math.abs(first.getTime() - Date.now()) < 60_000)
    await recordConnectionHealth(em, id, SILENT)
    assert.deepEqual([await standing(id), await since()], [['error', 'no answer in time'], first])
    await recordConnectionHealth(em, id, ANSWERING)
    assert.equal(await since(), null)
  })

  it('the health of a connection of a deleted connection is not written any more', async () => {
    const { id } = await createConnection(em, { sealedCredentials: null, deletedAt: new Date() })
    await recordConnectionHealth(em, id, REFUSED)
    assert.deepEqual(await standing(id), ['connected', null])
  })
})
