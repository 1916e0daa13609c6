import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { decideUnderLock } from '#db/position/symbol-state.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount } from '#test/support/factories.ts'

describe('a transaction of a process that freezes', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  it('a transaction of a process that freezes is ended by the database after ten seconds', async () => {
    const setting = `select current_setting('idle_in_transaction_session_timeout') as limited`
    assert.deepEqual(await em.execute(setting), [{ limited: '10s' }])
  })

  it('gives the lock of its symbol free, commits nothing when the process goes on, and leaves it able to work', async () => {
    const account = await createAccount(em)
    const order: string[] = []
    const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const standing = decideUnderLock(em, account.id, 'AAPL', async () => {
      begun.resolve()
      await goesOn.promise
      order.push('the first one goes on')
    })
    await begun.promise
    const [held] = await em.execute<{ pid: number }[]>(
      `select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    )
    // Its server ends it, as it does when the time is over.
    await em.execute('select pg_terminate_backend(?)', [held!.pid])
    await decideUnderLock(em, account.id, 'AAPL', async () => void order.push('another one decides'))
    goesOn.resolve()
    await assert.rejects(standing)
    assert.deepEqual(order, ['another one decides', 'the first one goes on'])
    assert.deepEqual(await em.execute('select 1 as one'), [{ one: 1 }])
  })
})
