import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertIfStorable, type NewSignal, type Storable, type Storing } from '#db/signals/signals.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { newSignalOf } from '#test/support/new-signal.ts'

const received: TimelineEntry = {
  key: 'received',
  kind: 'received',
  at: '2026-03-02T15:00:00.000Z',
  message: 'received',
}

describe('storing a signal that its account may take', () => {
  let database: Database
  let account: Account
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    account = await createAccount(database.em, { isDemo: true })
  })

  const store = (changes: Partial<NewSignal> = {}, storable: Partial<Storable> = {}): Promise<Storing> =>
    insertIfStorable(database.em.fork(), newSignalOf(account, changes), received, {
      isDemo: true,
      maxWaiting: null,
      limit: 5_000,
      ...storable,
    })
  const stored = async (): Promise<number> => {
    const [row] = await database.em.execute<{ count: number }[]>(
      'select count(*)::int as count from signals where account_id = ?',
      [account.id],
    )
    return row!.count
  }

  it('stores it in an account of its kind', async () => {
    assert.equal(await store(), 'stored')
    assert.equal(await stored(), 1)
  })

  it('stores nothing in an account of the other kind', async () => {
    assert.equal(await store({}, { isDemo: false }), 'denied')
    assert.equal(await stored(), 0)
  })

  it('stores nothing in an account that is unknown or of another user', async () => {
    const theirs = await createAccount(database.em, { isDemo: true })
    assert.equal(await store({ accountId: randomUUID() }), 'denied')
    assert.equal(await store({ accountId: theirs.id }), 'denied')
    assert.equal(await stored(), 0)
  })

  it('denies it by its account before it tells of a sourceId that is taken, or of no room', async () => {
    await createSignal(database.em, {
      accountId: account.id,
      sourceId: 'taken',
      status: 'pending',
      executeMode: 'pending',
    })
    const again = { sourceId: 'taken', status: 'pending', executeMode: 'pending' } as const
    assert.equal(await store(again), 'taken')
    assert.equal(await store(again, { maxWaiting: 1 }), 'full')
    assert.equal(await store(again, { isDemo: false, maxWaiting: 1 }), 'denied')
    assert.equal(await stored(), 1)
  })
})
