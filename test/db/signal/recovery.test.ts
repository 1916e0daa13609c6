import assert from 'node:assert/strict'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import { ordersOf, signalIn, timelineOf } from '#test/support/ledger.ts'
import { eventually } from '#test/support/eventually.ts'
import { createSignal, orderReport } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

describe('database pool', () => {
  let database: Database
  let admin: Database
  useDatabase(async (opened, url) => {
    database = opened
    admin = await openDatabase(url, 2)
  }, 3)
  after(() => admin.close(true))

  /** Ends the connections to the database, but the one that asks, of which the condition holds. */
  const cut = (condition = 'true') =>
    admin.em.execute<unknown[]>(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
    )
  const cutOnce = (condition: string) =>
    eventually(async () => assert.notEqual((await cut(condition)).length, 0), { every: 10 })
  const answers = () => database.em.execute<{ one: number }[]>('select 1 as one')
  /**
   * That the pool serves again. The driver hears of a cut in its own time: a call before that may still be given
   * a connection that was cut, and fails as one that may be repeated.
   */
  const servesAgain = () =>
    eventually(async () => {
      const asked = await Promise.allSettled([answers(), answers(), answers()])
      for (const one of asked)
        if (one.status === 'rejected') assert.ok(isDatabaseUnavailable(one.reason), String(one.reason))
      assert.ok(asked.every(({ status }) => status === 'fulfilled'))
    })

  it('replaces connections that were cut while idle', async () => {
    await Promise.all([answers(), answers(), answers()])
    await cut()
    await servesAgain()
  })

  it('fails a statement that was cut in the middle as one that may be repeated, and serves the next', async () => {
    const sleeping = assert.rejects(database.em.execute('select pg_sleep(30)'), isDatabaseUnavailable)
    await cutOnce(`wait_event = 'PgSleep'`)
    await sleeping
    await servesAgain()
  })

  it('serves on when more transactions were cut in the middle than it has connections', async function () {
    this.timeout(20_000)
    for (let round = 0; round < 2; round++) {
      const sleeping = Array.from({ length: 3 }, () =>
        assert.rejects(
          database.em.fork().transactional((em) => em.execute('select pg_sleep(30)')),
          isDatabaseUnavailable,
        ),
      )
      await eventually(async () => {
        const rows = await admin.em.execute<unknown[]>(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
        )
        assert.equal(rows.length, 3)
      })
      await cut(`wait_event = 'PgSleep'`)
      await Promise.all(sleeping)
      await servesAgain()
    }
  })

  it('cut in the middle of a ledger step leaves it undone, and the step repeated is whole', async () => {
    const signal = await createSignal(database.em)
    const report = orderReport(signal)
    // Somebody else holds the row, so that the step waits where it can be cut.
    const row = Promise.withResolvers<void>()
    const { promise: cutMade, resolve: letGo } = Promise.withResolvers<void>()
    const held = admin.em.fork().transactional(async (em) => {
      await em.execute('select 1 from signals where id = ? for update', [signal.id])
      row.resolve()
      await cutMade
    })
    await row.promise
    const step = assert.rejects(recordAccepted(database.em, report), isDatabaseUnavailable)
    await cutOnce(`wait_event_type = 'Lock'`)
    await step
    letGo()
    await held
    await servesAgain()
    assert.equal((await signalIn(database.em, signal.id)).status, 'queued')
    assert.deepEqual(await ordersOf(database.em, signal.id), [])

    await recordAccepted(database.em, report)
    assert.equal((await signalIn(database.em, signal.id)).status, 'executed')
    assert.equal((await timelineOf(database.em, signal.id)).length, 1)
  })
})
