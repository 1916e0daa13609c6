import assert from 'node:assert/strict'
import type { Database } from '#db/engine/database.ts'
import { Signal, type Account } from '#db/entities/index.ts'
import { recordCrossed } from '#db/signals/continuation.ts'
import { keepTold, removeUnstarted } from '#db/signals/signals.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'

describe('a stored signal whose sender was told that it was not', () => {
  let database: Database
  let account: Account
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    account = await createAccount(database.em)
  })
  const stored = (fields: Partial<Signal> = {}) =>
    createSignal(database.em, { accountId: account.id, workflowStartedAt: null, ...fields })
  const isThere = async ({ id }: Signal) => (await database.em.fork().findOne(Signal, id)) !== null

  it('a stored signal whose sender was told that it was not is taken away, and cannot be told to anybody then', async () => {
    const signal = await stored()
    await removeUnstarted(database.em.fork(), signal.id)
    assert.equal(await isThere(signal), false)
    assert.equal(await keepTold(database.em.fork(), signal.id), false)
  })

  it('stays when a repetition was answered with it', async () => {
    const signal = await stored()
    assert.equal(await keepTold(database.em.fork(), signal.id), true)
    await removeUnstarted(database.em.fork(), signal.id)
    assert.ok(await isThere(signal))
  })

  it('stays when its workflow runs', async () => {
    const signal = await stored({ workflowStartedAt: new Date() })
    await removeUnstarted(database.em.fork(), signal.id)
    assert.ok(await isThere(signal))
  })

  it('a stored signal whose sender was told that it was not is either told or taken away, when both are asked for at once', async () => {
    const signals = await Promise.all(Array.from({ length: 20 }, () => stored()))
    await Promise.all(
      signals.map(async (signal) => {
        const [isTold] = await Promise.all([
          keepTold(database.em.fork(), signal.id),
          removeUnstarted(database.em.fork(), signal.id),
        ])
        assert.equal(await isThere(signal), isTold)
      }),
    )
  })
})

describe('a target from one side to the other', () => {
  let database: Database
  useDatabase((opened) => {
    database = opened
  })

  for (const [status, goesOn] of [
    ['executed', 1],
    ['cancelled', 0],
  ] as const)
    it(`a target from one side to the other whose signal is ${status} when its close has filled is continued ${goesOn} times`, async () => {
      const { id: accountId } = await createAccount(database.em)
      const signal = await createSignal(database.em, {
        accountId,
        action: 'closeLong',
        status,
        target: { position: '-10', exit: null, at: null },
      })
      await recordCrossed(database.em.fork(), signal.id, new Date().toISOString(), {
        message: 'filled',
        exit: null,
        rejected: false,
        unprotected: null,
      } as unknown as Parameters<typeof recordCrossed>[3])
      assert.equal(await database.em.fork().count(Signal, { continues: signal.id }), goesOn)
    })
})
