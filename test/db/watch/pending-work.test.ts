import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { insertToken } from '#db/identity/token-management.ts'
import { pendingWork } from '#db/watch/pending-work.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

describe('work that is at hand', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const kinds = async (): Promise<string[]> => [...(await pendingWork(em.fork()))]

  it('work that is at hand is none where nothing is stored, nor where all of it is under way', async () => {
    assert.deepEqual(await kinds(), [])
    await createSignal(em, { workflowStartedAt: new Date() })
    assert.deepEqual(await kinds(), [])
  })

  it('work that is at hand is a signal whose workflow was not started', async () => {
    const signal = await createSignal(em)
    assert.deepEqual(await kinds(), ['unstarted'])
    await em.execute('update signals set workflow_started_at = now() where id = ?', [signal.id])
    assert.deepEqual(await kinds(), [])
  })

  it('work that is at hand is a signal that waits and whose token was revoked with it', async () => {
    const { id: accountId, userId } = await createAccount(em)
    const token = {
      userId,
      kind: 'access',
      label: 'alerts',
      hash: 'hash',
      prefix: 'dt_',
      scopes: ['signals:write'],
      expiresAt: new Date(Date.now() + 3_600_000),
    } as const
    const tokenId = await insertToken(em, token)
    const workflowStartedAt = new Date()
    const signal = await createSignal(em, {
      accountId,
      userId,
      executeMode: 'pending',
      status: 'pending',
      workflowStartedAt,
    })
    await em.execute('update signals set token_id = ? where id = ?', [tokenId, signal.id])
    assert.deepEqual(await kinds(), [])
    await em.execute(`update access_tokens set revoked_at = now(), withdrawn_by = 'its owner' where id = ?`, [
      tokenId,
    ])
    assert.deepEqual(await kinds(), ['withdrawals'])
    await em.execute(`update signals set status = 'cancelled' where id = ?`, [signal.id])
    assert.deepEqual(await kinds(), [])
  })

  it('work that is at hand is a notification that is due, and none that is due later', async () => {
    await em.execute(
      `insert into outbox (channel_id, subject_id, kind, due_at, expires_at)
       values (gen_random_uuid(), gen_random_uuid(), 'alert', now() + interval '1 minute', now() + interval '1 hour')`,
    )
    assert.deepEqual(await kinds(), [])
    await em.execute('update outbox set due_at = now()')
    assert.deepEqual(await kinds(), ['notifications'])
    await em.execute('delete from outbox')
  })
})
