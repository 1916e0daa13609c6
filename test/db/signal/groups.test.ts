import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { actAs } from '#db/engine/row-security.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { findEarlierGroup, findGroup, signalsOfGroup } from '#db/signal/groups.ts'
import {
  storeSignals,
  type SignalToStore,
  type StoredSignals,
  type NewGroup,
  insertSignal,
  type NewSignal,
} from '#db/signal/storing.ts'
import { keepNotified, removeUnstarted } from '#db/signal/signals.ts'
import { markStarted } from '#db/watch/open-work.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createUser } from '#test/support/factories.ts'
import { newSignalOf } from '#test/support/new-signal.ts'

const AT = new Date('2026-03-02T15:00:00.000Z')
const received: TimelineEntry = {
  key: 'received',
  kind: 'received',
  at: AT.toISOString(),
  message: 'received',
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1)

describe('a group of signals', () => {
  let database: Database
  let userId: string
  let accounts: Account[]
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    ;({ id: userId } = await createUser(database.em))
    accounts = await Promise.all(
      Array.from({ length: 4 }, () => createAccount(database.em, { userId, isDemo: true })),
    )
  })

  const inName = (): EntityManager => {
    const em = database.em.fork()
    actAs(em, userId)
    return em
  }
  const groupOf = (changes: Partial<NewGroup> = {}): NewGroup => ({
    id: randomUUID(),
    userId,
    tokenId: null,
    name: 'alert',
    seconds: null,
    symbol: 'AAPL',
    summary: 'buy 10 AAPL',
    accounts: accounts.length,
    refusals: [],
    supersedes: [],
    meantAt: null,
    at: AT,
    ...changes,
  })
  const signalsFor = (of: readonly Account[], changes: Partial<NewSignal> = {}): SignalToStore[] =>
    of.map((account) => ({
      signal: newSignalOf(account, changes),
      received,
      isDemo: true,
      maxWaiting: null,
    }))
  const store = (group = groupOf(), signals = signalsFor(accounts)): Promise<StoredSignals> =>
    storeSignals(inName(), group, signals, 5_000)
  const idsOf = (signals: readonly SignalToStore[]): string[] => signals.map(({ signal }) => signal.id)
  const count = async (table: 'signals' | 'signal_groups' | 'requests'): Promise<number> => {
    const [row] = await database.em.execute<{ count: number }[]>(
      `select count(*)::int as count from ${table} where user_id = ?`,
      [userId],
    )
    return row!.count
  }

  it('a group of signals is stored with a signal for each account', async () => {
    const group = groupOf()
    const signals = Array(4).fill('stored')
    assert.deepEqual(await store(group), { outcome: 'stored', signals, superseded: [] })
    const of = (await signalsOfGroup(inName(), userId, group.id)).map(({ accountId }) => accountId)
    assert.deepEqual(new Set(of), new Set(accounts.map(({ id }) => id)))
    assert.deepEqual((await findGroup(inName(), userId, group.id))?.refusals, [])
  })

  it('a group of signals has for each account either a signal or a refusal, for any answers of the accounts', async () => {
    const fates = fc.array(fc.constantFrom('stored', 'absent', 'other kind', 'taken', 'full'), {
      minLength: 4,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(fates, async (wanted) => {
        const group = groupOf({ name: randomUUID() })
        const sourceId = randomUUID()
        const signals = signalsFor(accounts, { sourceId })
        for (const [at, fate] of wanted.entries()) {
          const { signal } = signals[at]!
          if (fate === 'absent') signals[at]!.signal = { ...signal, accountId: randomUUID() }
          if (fate === 'other kind') signals[at]!.isDemo = false
          if (fate === 'full') signals[at]!.maxWaiting = 0
          if (fate === 'taken')
            await insertSignal(database.em.fork(), newSignalOf(accounts[at]!, { sourceId }), received)
        }
        const storing = await store(group, signals)
        const expected = wanted.map((fate) => (fate === 'absent' || fate === 'other kind' ? 'denied' : fate))
        assert.deepEqual('signals' in storing && storing.signals, expected)
        const stored = await signalsOfGroup(inName(), userId, group.id)
        const refusals = (await findGroup(inName(), userId, group.id))?.refusals ?? []
        const told = [...stored, ...refusals].map(({ accountId }) => accountId)
        assert.deepEqual(
          told.toSorted(byText),
          wanted.includes('stored') ? signals.map(({ signal }) => signal.accountId).toSorted(byText) : [],
        )
      }),
      { numRuns: 20 },
    )
  })

  it('a group of signals that no account takes is not stored, and its identity stays free', async () => {
    const refused = signalsFor(accounts).map((signal) => ({ ...signal, isDemo: false }))
    const signals = Array(4).fill('denied')
    assert.deepEqual(await store(groupOf(), refused), { outcome: 'refused', signals, superseded: [] })
    assert.equal(await count('signal_groups'), 0)
    assert.equal((await store()).outcome, 'stored')
  })

  it('a group of signals is stored once of all that have its identity, however many come at the same time', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => store()))
    const told = outcomes.map(({ outcome }) => outcome).toSorted(byText)
    assert.deepEqual(told, [...Array(49).fill('existing'), 'stored'])
    assert.deepEqual([await count('signal_groups'), await count('signals')], [1, 4])
  })

  it('a group of signals whose identity is good for a while is stored once in that time', async () => {
    const after = (seconds: number) => groupOf({ seconds: 30, at: new Date(AT.getTime() + seconds * 1_000) })
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => store(after(index % 10))))
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'stored').length, 1)
    assert.deepEqual([await count('signal_groups'), await count('signals')], [1, 4])
    assert.equal((await store(after(60))).outcome, 'stored')
    assert.equal((await store(after(75))).outcome, 'existing')
    assert.equal((await findEarlierGroup(inName(), after(75)))?.createdAt.getTime(), AT.getTime() + 60_000)
  })

  it('a group of signals that is carried out again by its id has no second signals', async () => {
    const group = groupOf({ name: null })
    assert.equal((await store(group)).outcome, 'stored')
    assert.equal((await store(group)).outcome, 'existing')
    assert.equal(await count('signals'), 4)
    assert.equal((await findEarlierGroup(inName(), group))?.id, group.id)
  })

  it('a group of signals without an identity, or of another sender, is one of its own', async () => {
    const other = await createUser(database.em)
    assert.equal((await store(groupOf({ name: null }))).outcome, 'stored')
    assert.equal((await store(groupOf({ name: null }))).outcome, 'stored')
    assert.equal(await findEarlierGroup(inName(), groupOf({ userId: other.id })), null)
  })

  it('groups of signals for the same accounts in any order never block each other for good', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const turned = index % 2 === 0 ? accounts : accounts.toReversed()
        const waits = index % 3 === 0 ? ({ status: 'pending', executeMode: 'pending' } as const) : {}
        const symbol = index % 5 === 0 ? 'MSFT' : 'AAPL'
        const signals = signalsFor(turned, { symbol, ...waits }).map((signal) => ({
          ...signal,
          maxWaiting: index % 3 === 0 ? 100 : null,
        }))
        return store(groupOf({ name: `alert ${index}` }), signals)
      }),
    )
    assert.ok(outcomes.every(({ outcome }) => outcome === 'stored'))
    assert.equal(await count('signals'), 160)
  })

  it('a group of signals whose sender learned that it was not stored is taken away as a whole', async () => {
    const group = groupOf()
    const signals = signalsFor(accounts)
    await store(group, signals)
    await removeUnstarted(database.em.fork(), idsOf(signalsFor(accounts)))
    assert.equal(await count('signals'), 4, 'it is that of an earlier attempt')
    await removeUnstarted(database.em.fork(), idsOf(signals))
    assert.deepEqual(
      [await count('signal_groups'), await count('signals'), await count('requests')],
      [0, 0, 0],
    )
    assert.equal(await keepNotified(inName(), idsOf(signals)), false)
  })

  it('a group of signals stays as a whole when one of them runs or a repetition was answered with it', async () => {
    const [running, told] = [groupOf(), groupOf({ name: 'another alert' })]
    const [ofRunning, ofReported] = [signalsFor(accounts), signalsFor(accounts)]
    await store(running, ofRunning)
    await store(told, ofReported)
    const [signal] = await signalsOfGroup(inName(), userId, running.id)
    await markStarted(inName(), { kind: 'signal', id: signal!.id })
    assert.equal(await keepNotified(inName(), idsOf(ofReported)), true)
    await removeUnstarted(database.em.fork(), idsOf(ofRunning))
    await removeUnstarted(database.em.fork(), idsOf(ofReported))
    assert.deepEqual([await count('signal_groups'), await count('signals')], [2, 8])
  })

  it('a group of signals is either reported or taken away, when both are asked for at once', async () => {
    const groups = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const group = groupOf({ name: `alert ${index}` })
        const signals = signalsFor(accounts)
        await store(group, signals)
        return { id: group.id, signals }
      }),
    )
    await Promise.all(
      groups.map(async ({ id, signals }) => {
        const [isReported] = await Promise.all([
          keepNotified(inName(), idsOf(signals)),
          removeUnstarted(database.em.fork(), idsOf(signals)),
        ])
        assert.equal((await signalsOfGroup(inName(), userId, id)).length, isReported ? 4 : 0)
      }),
    )
  })
})
