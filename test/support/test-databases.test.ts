import assert from 'node:assert/strict'
import { openDatabase, type EntityManager } from '#db/engine/database.ts'
import { createSignal } from './factories.ts'
import { createTestDatabase } from './servers.ts'

interface Seen {
  oid: number
  name: string
  sequences: unknown
  rows: unknown
}

const LOOK = `
  select oid::int, datname as name,
    (select jsonb_object_agg(sequencename, last_value) from pg_sequences) as sequences,
    (select jsonb_agg(xpath('//row/*', query_to_xml(format('select * from %s', c.oid::regclass), true, false, ''))::text order by relname)
     from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace) as rows
  from pg_database where datname = current_database()`

/** What a test sees in the database that it is given, before it uses it. */
async function useOne(use: (em: EntityManager) => Promise<unknown> = async () => {}): Promise<Seen> {
  const server = await createTestDatabase()
  const database = await openDatabase(server.url, 2)
  try {
    const [seen] = await database.em.execute<Seen[]>(LOOK)
    await use(database.em.fork())
    return seen!
  } finally {
    await database.close(true)
    await server.drop()
  }
}

describe('The databases of tests', () => {
  it('come back empty and under another name', async () => {
    const first = await useOne(async (em) => {
      await createSignal(em)
      await em.execute("update live_events_removed set up_to = '7'")
    })
    const second = await useOne()
    assert.deepEqual({ ...second, name: first.name }, first)
    assert.notEqual(second.name, first.name)
  })

  for (const change of [
    'create table left_behind (id int)',
    'alter table signals disable trigger user',
    'analyze live_events_removed',
  ])
    it(`the databases of tests are not used again after: ${change}`, async () => {
      const { oid } = await useOne((em) => em.execute(change))
      assert.notEqual((await useOne()).oid, oid)
    })
})
