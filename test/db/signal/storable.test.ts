import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database } from '#db/engine/database.ts'
import { Signal, type Account } from '#db/entities/index.ts'
import { recordCrossed } from '#db/signal/reversal.ts'
import { storeSignals } from '#db/signal/storing.ts'
import { keepNotified, removeUnstarted } from '#db/signal/signals.ts'
import type { NewSignal, Storable, Storing } from '#db/signal/storing.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { closeFilled } from '#test/support/close-filled.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { newSignalOf } from '#test/support/new-signal.ts'

const AT = '2026-03-02T15:00:00.000Z'
const received: TimelineEntry = { key: 'received', kind: 'received', at: AT, message: 'received' }

describe('a signal that is stored', () => {
  let database: Database
  let account: Account
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    account = await createAccount(database.em, { isDemo: true })
  })

  describe('storing a signal that its account may take', () => {
    const store = async (
      changes: Partial<NewSignal> = {},
      storable: Partial<Storable> = {},
    ): Promise<Storing> => {
      const signal = newSignalOf(account, changes)
      const asked = { signal, received, isDemo: true, maxWaiting: null, ...storable }
      const { signals } = await storeSignals(database.em.fork(), null, [asked], 5_000)
      return signals[0]!
    }
    const stored = () => database.em.fork().count(Signal, { accountId: account.id })

    it('stores it in an account of its kind, and nothing in one of the other kind, unknown or of another user', async () => {
      const theirs = await createAccount(database.em, { isDemo: true })
      assert.equal(await store({}, { isDemo: false }), 'denied')
      assert.equal(await store({ accountId: randomUUID() }), 'denied')
      assert.equal(await store({ accountId: theirs.id }), 'denied')
      assert.equal(await stored(), 0)
      assert.equal(await store(), 'stored')
      assert.equal(await stored(), 1)
    })

    it('denies it by its account before it reports a sourceId that is taken, or no room', async () => {
      const again = { sourceId: 'taken', status: 'pending', executeMode: 'pending' } as const
      await createSignal(database.em, { accountId: account.id, ...again })
      assert.equal(await store(again), 'taken')
      assert.equal(await store(again, { maxWaiting: 1 }), 'full')
      assert.equal(await store(again, { isDemo: false, maxWaiting: 1 }), 'denied')
      assert.equal(await stored(), 1)
    })
  })

  describe('a stored signal whose sender learned that it was not', () => {
    const stored = (fields: Partial<Signal> = {}) =>
      createSignal(database.em, { accountId: account.id, workflowStartedAt: null, ...fields })
    const isThere = async ({ id }: Signal) => (await database.em.fork().findOne(Signal, id)) !== null
    const tell = ({ id }: Signal) => keepNotified(database.em.fork(), [id])
    const remove = ({ id }: Signal) => removeUnstarted(database.em.fork(), [id])

    it('a stored signal whose sender learned that it was not is taken away, and cannot be reported then', async () => {
      const signal = await stored()
      await remove(signal)
      assert.deepEqual([await isThere(signal), await tell(signal)], [false, false])
    })

    it('stays when a repetition was answered with it, or its workflow runs', async () => {
      const signal = await stored()
      assert.equal(await tell(signal), true)
      for (const one of [signal, await stored({ workflowStartedAt: new Date() })]) {
        await remove(one)
        assert.ok(await isThere(one))
      }
    })

    it('a stored signal whose sender learned that it was not is either reported or taken away, when both are asked for at once', async () => {
      const signals = await Promise.all(Array.from({ length: 20 }, () => stored()))
      await Promise.all(
        signals.map(async (signal) => {
          const [isReported] = await Promise.all([tell(signal), remove(signal)])
          assert.equal(await isThere(signal), isReported)
        }),
      )
    })
  })

  describe('a target from one side to the other', () => {
    for (const [status, goesOn] of [
      ['executed', 1],
      ['cancelled', 0],
    ] as const)
      it(`a target from one side to the other whose signal is ${status} when its close has filled is continued ${goesOn} times`, async () => {
        const target = { position: '-10', exit: null, at: null } as const
        const fields = { accountId: account.id, action: 'closeLong', status, target } as const
        const { id } = await createSignal(database.em, fields)
        await recordCrossed(database.em.fork(), id, AT, closeFilled())
        assert.equal(await database.em.fork().count(Signal, { continues: id }), goesOn)
      })
  })
})
