import assert from 'node:assert/strict'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { migrate, UnreleasedSchema } from '#db/engine/migrate.ts'
import { migrations } from '#db/migrations/index.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'

describe('migrate', () => {
  let server: TestDatabase
  let database: Database
  beforeEach(async () => {
    server = await createTestDatabase()
    database = await openDatabase(server.url, 2)
    // The test database comes migrated; here it is to begin empty.
    await database.em.execute('drop schema public cascade')
    await database.em.execute('create schema public')
  })
  afterEach(async () => {
    await database?.close(true)
    await server?.drop()
  })

  const everything = migrations.map(({ name }) => name)
  const recorded = async () =>
    (await database.em.execute<{ name: string }[]>('select name from schema_migrations order by id')).map(
      ({ name }) => name,
    )

  it('applies every migration in order to an empty database, and none a second time', async () => {
    assert.deepEqual(await migrate(server.url), { applied: everything })
    assert.deepEqual(await migrate(server.url), { applied: [] })
    assert.deepEqual(await recorded(), everything)
  })

  it('run by three processes at once lets one work and the others wait', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => migrate(server.url)))
    assert.deepEqual(
      runs.flatMap(({ applied }) => applied),
      everything,
    )
    assert.deepEqual(runs.filter(({ applied }) => applied.length > 0).length, 1)
    assert.deepEqual(await recorded(), everything)
  })

  it('refuses a database of a development version and names the remedy', async () => {
    await migrate(server.url)
    await database.em.execute(`update schema_migrations set name = '0001-spine'`)
    await assert.rejects(migrate(server.url), (error: Error) => {
      assert.ok(error instanceof UnreleasedSchema)
      assert.match(error.message, /0001-spine.*npm run reset/s)
      return true
    })
  })

  it('leaves the tables of a newer version as they are, as where that was tried and taken back', async () => {
    await migrate(server.url)
    const next = '9999-of-the-next-version'
    await database.em.execute('insert into schema_migrations (name) values (?)', [next])
    assert.deepEqual(await migrate(server.url), { applied: [] })
    assert.deepEqual(await recorded(), [...everything, next])
  })

  it('leaves nothing half done when a migration fails, and applies it all the next time', async () => {
    // The name is taken, so a later statement of the first migration fails.
    await database.em.execute('create table orders (id integer)')
    await assert.rejects(migrate(server.url), /orders/)
    assert.deepEqual(await tables(database), ['orders', 'schema_migrations'])
    await database.em.execute('drop table orders')
    assert.deepEqual((await migrate(server.url)).applied, everything)
  })
})

const tables = async (database: Database) =>
  (
    await database.em.execute<{ tablename: string }[]>(
      `select tablename from pg_tables where schemaname = 'public' order by tablename`,
    )
  ).map(({ tablename }) => tablename)
