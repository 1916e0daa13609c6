import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { inTwoMessages } from '#db/engine/batched-transaction.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { PreparedStatements } from '#db/engine/bound-driver.ts'
import { poolUse } from '#db/engine/pool-use.ts'
import type { Query } from '#db/engine/query.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

/** Sums the figures of the table. */
const total: Query<number> = {
  sql: 'select sum(figure)::int as total from sample where id > ?',
  parameters: [0],
  read: ([row]: readonly { total: number | null }[]) => row!.total ?? 0,
}
const setTo = (figure: number): Query<number> => ({
  sql: 'update sample set figure = ? where id = ? returning figure',
  parameters: [figure, 1],
  read: ([row]: readonly { figure: number }[]) => row!.figure,
})
const added = (id: number): Query<void> => ({
  sql: 'insert into sample (id, figure) values (?, ?)',
  parameters: [id, 5],
  read: () => undefined,
})

describe('statements on one connection', () => {
  let database: Database
  let other: Database
  let url: string
  useDatabase((opened) => {
    url = opened.config.get('clientUrl')!
  })
  beforeEach(async () => {
    // One connection: a statement meets the plans of those before, and what is not ended is met by whatever comes next.
    database = await openDatabase(url, 1)
    other = await openDatabase(url, 2)
    await database.em.execute('create table sample (id int primary key, figure int check (figure < 100))')
    await database.em.execute('insert into sample values (?, ?)', [1, 7])
  })
  afterEach(async () => {
    await other.em.execute('drop table sample')
    await database.close(true)
    await other.close(true)
  })

  describe('a transaction in two messages', () => {
    const seenByOthers = async (): Promise<number> => {
      const [row] = await other.em.execute<{ total: number }[]>(
        'select sum(figure)::int as total from sample',
      )
      return row!.total
    }
    const isFree = async () => (await poolUse(database)).used === 0

    it('shows nothing before it commits, and answers each query with what it asks', async () => {
      const told = await inTwoMessages(database.em, [total, setTo(8)], async ([before, set], transaction) => {
        assert.deepEqual([before, set, await seenByOthers()], [7, 8, 7])
        return transaction.commit(added(2), total)
      })
      assert.deepEqual(told, [undefined, 13])
      assert.equal(await seenByOthers(), 13)
      assert.ok(await isFree())
    })

    it('a transaction in two messages that is not committed, or whose decision fails, leaves nothing behind', async () => {
      assert.equal(await inTwoMessages(database.em, [setTo(8)], async () => 'given up'), 'given up')
      const failing = inTwoMessages(database.em, [setTo(8)], async () => {
        throw new Error('not decided')
      })
      await assert.rejects(failing, /not decided/)
      assert.equal(await seenByOthers(), 7)
      assert.ok(await isFree())
    })

    for (const [where, queries, last] of [
      ['first message', [setTo(8), setTo(100)], [total]],
      ['last message', [setTo(8)], [setTo(9), setTo(100), added(2)]],
    ] as const)
      it(`leaves nothing behind when a statement of the ${where} fails, and names the constraint`, async () => {
        const failing = inTwoMessages(database.em, queries, async (_, transaction) =>
          transaction.commit(...last),
        )
        await assert.rejects(failing, { constraint: 'sample_figure_check' })
        assert.equal(await seenByOthers(), 7)
        // The connection is as good as before.
        assert.deepEqual(await inTwoMessages(database.em, [total], (_, { commit }) => commit(total)), [7])
      })

    it('a transaction in two messages is kept by its names, again and again, also after a statement of it has failed', async () => {
      for (let use = 0; use < 30; use += 1) {
        const figure = use % 3 === 0 ? 100 : use
        const turn = inTwoMessages(database.em, [total], (_, { commit }) => commit(setTo(figure)))
        if (figure === 100) await assert.rejects(turn, { constraint: 'sample_figure_check' })
        else assert.deepEqual(await turn, [figure])
      }
    })

    it('fails once after a migration has changed what a statement answers, and then goes on', async () => {
      const turn = () =>
        inTwoMessages(database.em, [setTo(8)], ([set], { commit }) => commit(total).then(() => set))
      for (let use = 0; use < 20; use += 1) await turn()
      await other.em.execute('alter table sample alter figure type bigint')
      await assert.rejects(turn(), { code: '0A000' })
      assert.equal(await turn(), '8')
    })

    it('holds its locks between the messages, and no longer', async () => {
      const order: string[] = []
      const first = inTwoMessages(database.em, [setTo(8)], async (_, { commit }) => {
        const second = inTwoMessages(other.em, [setTo(9)], (__, transaction) => {
          order.push('second')
          return transaction.commit(total)
        })
        await pause(100)
        order.push('first')
        await commit(total)
        return { second }
      })
      await (
        await first
      ).second
      assert.deepEqual(order, ['first', 'second'])
      assert.equal(await seenByOthers(), 9)
    })

    it('a transaction in two messages whose connection breaks is rolled back, and the connection is replaced', async () => {
      const failing = inTwoMessages(database.em, [setTo(8)], async (_, { commit }) => {
        await other.em.execute(
          `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`,
        )
        return commit(added(2))
      })
      await assert.rejects(failing)
      assert.equal(await seenByOthers(), 7)
      await eventually(async () => assert.ok(await isFree()))
      assert.deepEqual(await inTwoMessages(database.em, [total], (_, { commit }) => commit(total)), [7])
    })
  })

  describe('prepared statements', () => {
    const SQL = 'select figure, id from sample where id = ?'
    const read = (em = database.em) => em.execute<{ figure: unknown }[]>(SQL, [1])
    const preparedNow = async () => {
      const rows = await database.em.execute<{ statement: string }[]>(
        'select statement from pg_prepared_statements',
      )
      return rows.filter(({ statement }) => statement.startsWith('select figure')).length
    }
    const readOften = async () => {
      for (let use = 0; use < 20; use += 1) await read()
    }

    it('prepared statements are those that come again and again, and no others', async () => {
      await read()
      assert.equal(await preparedNow(), 0)
      await readOften()
      assert.equal(await preparedNow(), 1)
    })

    it('go on when a migration has changed what they answer, however many uses are under way at once', async () => {
      await readOften()
      await other.em.execute('alter table sample drop constraint sample_figure_check, alter figure type text')
      const rows = await Promise.all(Array.from({ length: 5 }, () => read()))
      for (let use = 0; use < 3; use += 1) rows.push(await read())
      for (const [row] of rows) assert.equal(row!.figure, '7')
    })

    it('fail a transaction after such a migration at most once', async () => {
      await readOften()
      await other.em.execute('alter table sample drop constraint sample_figure_check, alter figure type text')
      const inTransaction = () => database.em.fork().transactional((inner) => read(inner))
      await assert.rejects(inTransaction())
      assert.equal((await inTransaction())[0]!.figure, '7')
    })

    it('prepared statements are of a bounded number, however many texts there are', () => {
      const prepared = new PreparedStatements()
      const names = new Set<string>()
      for (let text = 0; text < 1_000; text += 1)
        for (let use = 0; use < 12; use += 1) {
          const name = prepared.nameOf(`select ${text}`)
          if (name !== null) names.add(name)
        }
      assert.equal(names.size, 200)
    })
  })
})
