import assert from 'node:assert/strict'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { PreparedStatements } from '#db/engine/prepared.ts'
import { useDatabase } from '#test/support/database.ts'

describe('prepared statements', () => {
  let database: Database
  let url: string
  useDatabase((opened) => {
    url = opened.config.get('clientUrl')!
  })
  beforeEach(async () => {
    // With one connection, so that every statement meets the plans of those before.
    database = await openDatabase(url, 1)
    await database.em.execute('create table if not exists sample (id int primary key, figure int)')
    await database.em.execute('insert into sample values (?, ?) on conflict do nothing', [1, 7])
  })
  afterEach(async () => {
    await database.em.execute('drop table sample')
    await database.close(true)
  })

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

  it('go on when a migration has changed what they answer', async () => {
    await readOften()
    await database.em.execute('alter table sample alter figure type text')
    for (let use = 0; use < 3; use += 1) assert.equal((await read())[0]!.figure, '7')
  })

  it('go on then however many uses are under way at once', async () => {
    await readOften()
    await database.em.execute('alter table sample alter figure type text')
    const rows = await Promise.all(Array.from({ length: 5 }, () => read()))
    assert.deepEqual(
      rows.map(([row]) => row!.figure),
      Array.from({ length: 5 }, () => '7'),
    )
  })

  it('fail a transaction after such a migration at most once', async () => {
    await readOften()
    await database.em.execute('alter table sample alter figure type text')
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
