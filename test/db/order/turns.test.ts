import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '#db/engine/database.ts'
import { rolledBack } from '#db/engine/batched-transaction.ts'
import type { Account } from '#db/entities/index.ts'
import { readEntryFacts } from '#db/order/entry-facts.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { insertSignal, type NewSignal } from '#db/signal/storing.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount } from '#test/support/factories.ts'
import { newSignalOf } from '#test/support/new-signal.ts'
import { useDatabase } from '#test/support/database.ts'

const AT = '2026-03-02T15:00:00.000Z'
const received: TimelineEntry = { key: 'received', kind: 'received', at: AT, message: 'received' }
const approval = { by: 'trader@example.com', quantity: null, limitPrice: null, sendBefore: null }

describe('the turns of signals of one account and symbol', () => {
  let database: Database
  let account: Account
  useDatabase((opened) => {
    database = opened
  }, 4)
  beforeEach(async () => {
    account = await createAccount(database.em)
  })

  /** Milliseconds from now, which is negative for an instant that has passed. */
  const fromNow = (milliseconds: number): Date => new Date(Date.now() + milliseconds)
  const store = async (changes: Partial<NewSignal> = {}): Promise<string> => {
    const signal = newSignalOf(account, { status: 'queued', ...changes })
    assert.equal(await insertSignal(database.em.fork(), signal, received), true)
    return signal.id
  }
  const scheduled = (scheduledAt: Date): Promise<string> =>
    store({ executeMode: 'scheduled', status: 'scheduled', scheduledAt })
  const pending = (): Promise<string> => store({ executeMode: 'pending', status: 'pending' })
  const approve = (id: string) => recordDue(database.em.fork(), id, new Date().toISOString(), approval)
  const behind = async (id: string): Promise<string[]> =>
    (await readEntryFacts(database.em.fork(), id))!.earlier.map((signal) => signal.id)

  it('come in the order of acceptance, with any clock of the API', async () => {
    const first = await store({ acceptedAt: fromNow(5_000) })
    const second = await store({ acceptedAt: fromNow(-5_000) })
    assert.deepEqual([await behind(first), await behind(second)], [[], [first]])
  })

  it('come, of scheduled ones, by their instants, for one instant in the order of acceptance, and at the acceptance where it had passed by then', async () => {
    const plain = await store()
    assert.deepEqual(await behind(await scheduled(fromNow(-1_000))), [plain])
    account = await createAccount(database.em)
    const [at, before] = [fromNow(60_000), fromNow(59_000)]
    const first = await scheduled(at)
    const second = await scheduled(at)
    const third = await scheduled(before)
    assert.deepEqual(await behind(third), [])
    assert.deepEqual(await behind(first), [third])
    assert.deepEqual(await behind(second), [third, first])
  })

  it('come, of a scheduled one, from its instant on, though its workflow has not woken', async () => {
    const due = await scheduled(fromNow(1_000))
    const early = await store()
    await setTimeout(1_100)
    const late = await store()
    assert.deepEqual([await behind(early), await behind(late)], [[], [early, due]])
    assert.deepEqual(await behind(due), [early])
  })

  it('come at the approval, of a signal that waits for a person, and stay when that is recorded again', async () => {
    const waiting = await pending()
    const first = await store()
    assert.deepEqual(await behind(first), [])
    assert.deepEqual(await behind(waiting), [first], 'as if it were approved now')
    await approve(waiting)
    const second = await store()
    await approve(waiting)
    assert.deepEqual([await behind(waiting), await behind(second)], [[first], [first, waiting]])
  })

  it('the turns of signals of one account and symbol are given under one lock: an approval waits for a signal that is being stored', async () => {
    const waiting = await pending()
    const letGo = Promise.withResolvers<void>()
    const stored = Promise.withResolvers<string>()
    const storing = database.em.fork().transactional(async (em) => {
      const signal = newSignalOf(account, { status: 'queued' })
      await insertSignal(em, signal, received)
      stored.resolve(signal.id)
      await letGo.promise
    })
    const first = await stored.promise
    const approving = approve(waiting)
    const locks = `select from pg_locks where locktype = 'advisory' and not granted`
    await eventually(async () => assert.equal((await database.em.execute<unknown[]>(locks)).length, 1))
    letGo.resolve()
    await Promise.all([storing, approving])
    assert.deepEqual([await behind(first), await behind(waiting)], [[], [first]])
  })

  it('the turns of signals of one account and symbol are foreseen by a dry run: signals that come before its instant, and no later ones', async () => {
    const soon = await scheduled(fromNow(30_000))
    const late = await scheduled(fromNow(90_000))
    const foreseen = async (scheduledAt: Date | null) => {
      const signal = newSignalOf(account, { scheduledAt })
      return rolledBack(database.em, async (em) => {
        await insertSignal(em, signal, received)
        return (await readEntryFacts(em, signal.id))!.earlier.map(({ id }) => id)
      })
    }
    assert.deepEqual(await foreseen(null), [])
    assert.deepEqual(await foreseen(fromNow(60_000)), [soon])
    assert.deepEqual(await foreseen(fromNow(120_000)), [soon, late])
  })
})
