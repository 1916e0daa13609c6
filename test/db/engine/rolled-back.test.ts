import assert from 'node:assert/strict'
import { inTwoMessages, goOnAs, rolledBack } from '#db/engine/batched-transaction.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'

describe('a transaction that is rolled back', () => {
  let database: Database
  useDatabase(async (opened) => {
    database = opened
    await opened.em.execute('create table sample (figure int)')
  }, 2)

  const added = (figure: number) => ({
    sql: 'insert into sample values (?) returning figure',
    parameters: [figure],
    read: ([row]: readonly { figure: number }[]) => row!.figure,
  })
  const figures = async (em: EntityManager = database.em) =>
    (await em.execute<{ figure: number }[]>('select figure from sample order by figure')).map(
      ({ figure }) => figure,
    )

  it('a transaction that is rolled back keeps what forks, inner transactions and batches commit, for itself', async () => {
    const seen = await rolledBack(database.em, async (em) => {
      await em.execute('insert into sample values (1)')
      await em.fork().fork().execute('insert into sample values (2)')
      await em
        .fork()
        .transactional((inner) =>
          inner.fork().transactional((innermost) => innermost.execute('insert into sample values (3)')),
        )
      const failed = em.fork().transactional(async (inner) => {
        await inner.fork().execute('insert into sample values (4)')
        throw new RangeError('undone')
      })
      await assert.rejects(failed, RangeError)
      await inTwoMessages(em.fork(), [added(5)], async (_, transaction) => transaction.commit(added(6)))
      assert.deepEqual(await figures(), [], 'nobody else sees it')
      return figures(em.fork())
    })
    assert.deepEqual([seen, await figures()], [[1, 2, 3, 5, 6], []])
  })

  it('a transaction that is rolled back leaves nothing where the work or a statement fails, nor the name of a user', async () => {
    for (const fault of ['select 1 / 0', 'select no_column'])
      await assert.rejects(
        rolledBack(database.em, async (em) => {
          await em.execute('insert into sample values (1)')
          await goOnAs(em, '00000000-0000-0000-0000-000000000001')
          await em.execute(fault)
        }),
      )
    const [{ role }] = await database.em.execute<[{ role: string }]>(`select current_setting('role') as role`)
    assert.deepEqual([role, await figures()], ['none', []])
  })
})
