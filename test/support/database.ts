import { openDatabase, type Database } from '#db/engine/database.ts'
import { createTestDatabase, type TestDatabase } from './servers.ts'

/**
 * Gives the tests of the enclosing block a migrated database of their own: made and opened before the first of them,
 * closed and dropped after the last.
 *
 * @param opened told the database and its address before the first test; also the place for rows that all tests share
 * @param poolSize connections at most
 */
export function useDatabase(
  opened: (database: Database, url: string) => Promise<void> | void,
  poolSize = 12,
): void {
  let server: TestDatabase | undefined
  let database: Database | undefined
  before('opens a database of its own', async function () {
    // The first one of a run starts PostgreSQL and migrates the template.
    this.timeout(60_000)
    server = await createTestDatabase()
    database = await openDatabase(server.url, poolSize)
    await opened(database, server.url)
  })
  after('drops the database', async () => {
    await database?.close(true)
    await server?.drop()
  })
}
