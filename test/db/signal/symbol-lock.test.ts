import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { recordReplaced, replaceUnfilled } from '#db/signal/decision-ledger.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import { insertSignal, type NewSignal } from '#db/signal/storing.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { newSignalOf } from '#test/support/new-signal.ts'
import { useDatabase } from '#test/support/database.ts'

const POOL_SIZE = 4
const AT = '2026-03-02T15:00:00.000Z'
const received: TimelineEntry = { key: 'received', kind: 'received', at: AT, message: 'received' }

describe('signals of one account and symbol', () => {
  let database: Database
  let account: Account
  useDatabase((opened) => {
    database = opened
  }, POOL_SIZE)
  beforeEach(async () => {
    account = await createAccount(database.em)
  })

  const wish = (changes: Partial<NewSignal> = {}): NewSignal => newSignalOf(account, changes)
  const sequenceOf = async (id: string): Promise<number> => {
    const [row] = await database.em.execute<{ sequence: string }[]>(
      'select sequence from signals where id = ?',
      [id],
    )
    return Number(row!.sequence)
  }
  const isWaitingForEarlierSignals = () =>
    eventually(
      async () => {
        const locks = `select from pg_locks where locktype = 'advisory' and not granted`
        assert.equal((await database.em.execute<unknown[]>(locks)).length, 1)
      },
      { every: 10 },
    )
  /** Stores in a transaction that stays open until it is let go. */
  function storeSlowly(signal: NewSignal) {
    const stored = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    const committed = database.em.fork().transactional(async (em: EntityManager) => {
      await insertSignal(em, signal, received)
      stored.resolve()
      await letGo.promise
    })
    return { stored: stored.promise, letGo: () => letGo.resolve(), committed }
  }

  it('take their turn before they draw their number: who waits draws the higher one', async () => {
    const first = wish()
    const second = wish()
    const other = wish({ symbol: 'MSFT' })
    const slow = storeSlowly(first)
    await slow.stored
    const storing = insertSignal(database.em.fork(), second, received)
    await isWaitingForEarlierSignals()
    // Had the waiting one drawn its number already, this one's would be higher still.
    assert.ok(await insertSignal(database.em.fork(), other, received), 'another symbol waits for nobody')
    slow.letGo()
    await Promise.all([slow.committed, storing])
    assert.ok((await sequenceOf(first.id)) < (await sequenceOf(other.id)))
    assert.ok((await sequenceOf(other.id)) < (await sequenceOf(second.id)))
  })

  it('signals of one account and symbol that do not get their turn in time are not stored, then or later', async () => {
    const slow = storeSlowly(wish())
    await slow.stored
    const late = wish()
    const begun = performance.now()
    await assert.rejects(insertSignal(database.em.fork(), late, received, 200), isDatabaseUnavailable)
    assert.ok(performance.now() - begun < 1_500)
    slow.letGo()
    await slow.committed
    assert.equal(await insertSignal(database.em.fork(), wish(), received, 5_000), true)
    assert.deepEqual(await database.em.execute('select from signals where id = ?', [late.id]), [])
  })

  it('signals of one account and symbol that get no connection in time are not stored, then or later', async () => {
    const slow = Array.from({ length: POOL_SIZE }, (_, index) => storeSlowly(wish({ symbol: `S${index}` })))
    await Promise.all(slow.map(({ stored }) => stored))
    const late = wish()
    const storing = assert.rejects(
      insertSignal(database.em.fork(), late, received, 100),
      isDatabaseUnavailable,
    )
    await setTimeout(300)
    for (const { letGo } of slow) letGo()
    await Promise.all([storing, ...slow.map(({ committed }) => committed)])
    assert.deepEqual(await database.em.execute('select from signals where id = ?', [late.id]), [])
  })

  describe('that replace each other', () => {
    const live = (fields: Partial<Signal> = {}): Promise<Signal> =>
      createSignal(database.em, { accountId: account.id, userId: account.userId, sourceId: 's', ...fields })
    const replacement = (changes: Partial<NewSignal> = {}) => ({
      signal: wish({ sourceId: 's', ...changes }),
      received,
    })
    const statuses = async (): Promise<string[]> => {
      const inOrder = 'select status from signals where account_id = ? order by sequence'
      const rows = await database.em.execute<{ status: string }[]>(inOrder, [account.id])
      return rows.map(({ status }) => status)
    }
    const replace = (old: Signal, by = replacement()) =>
      recordReplaced(database.em, old.id, AT, {
        detail: 'Replaced',
        acknowledges: null,
        mayStillFill: false,
        replacement: by,
      })

    it('signals of one account and symbol that replace each other may be recorded again when the replacement has ended meanwhile', async () => {
      const old = await live()
      const by = replacement()
      await replace(old, by)
      await database.em.execute(`update signals set status = 'rejected' where id = ?`, [by.signal.id], 'run')
      await replace(old, by)
      assert.deepEqual(await statuses(), ['cancelled', 'rejected'])
    })

    const ended = async (fields: Partial<Signal> = {}): Promise<Signal> => {
      const signal = await live({ status: 'executed', ...fields })
      await database.em.execute('update signals set entry_ended_at = now() where id = ?', [signal.id], 'run')
      return signal
    }
    const replaceEnded = (old: Signal, by = replacement()) =>
      replaceUnfilled(database.em, old.id, AT, { detail: 'Replaced', replacement: by })

    it('signals of one account and symbol that replace each other without a workflow: an ended entry without a fill makes room, for one of two at once', async () => {
      const old = await ended()
      const stored = await Promise.all([replaceEnded(old), replaceEnded(old)])
      assert.equal(stored.filter(Boolean).length, 1)
      assert.deepEqual(await statuses(), ['cancelled', 'queued'])
    })

    for (const [how, cancelInFavor] of [
      ['', async () => replace(await live())],
      ['without a workflow: ', async () => replaceEnded(await ended())],
    ] as const)
      it(`${how}wait to be first before they lock the one that they replace`, async () => {
        const slow = storeSlowly(wish({ sourceId: 'other' }))
        await slow.stored
        const replacing = cancelInFavor()
        await isWaitingForEarlierSignals()
        await database.em.fork().transactional(async (em) => {
          await em.execute('select from signals where account_id = ? for update nowait', [account.id])
        })
        slow.letGo()
        await Promise.all([slow.committed, replacing])
      })

    for (const [how, make, cancelInFavor] of [
      ['', live, replace],
      ['without a workflow: ', ended, replaceEnded],
    ] as const)
      it(`signals of one account and symbol that replace each other ${how}always end when one is stored and another replaced at once`, async () => {
        for (let round = 0; round < 10; round++) {
          const sourceId = `s${round}`
          const old = await make({ sourceId })
          const [, isStored] = await Promise.all([
            cancelInFavor(old, replacement({ sourceId })),
            insertSignal(database.em.fork(), wish({ sourceId }), received),
          ])
          assert.equal(isStored, false, 'the sourceId is never free in between')
        }
      })

    it('signals of one account and symbol that replace each other without a workflow: a filled or a working entry does not', async () => {
      const filled = await ended({ filledQuantity: '1' })
      assert.equal(await replaceEnded(filled), false)
      const working = await live({ status: 'executed', sourceId: 'other' })
      assert.equal(await replaceEnded(working), false)
      assert.deepEqual(await statuses(), ['executed', 'executed'])
    })
  })
})
