import { requireOrdinaryUser } from './database-user.ts'
import { openDatabase } from './database.ts'

/**
 * Brings the schema to the newest version; safe to run again and from several processes at once, of which
 * one works and the others wait. Throws UnsafeDatabaseUser as a superuser.
 */
export async function migrate(databaseUrl: string): Promise<{ applied: string[] }> {
  const database = await openDatabase(databaseUrl, 2)
  try {
    await requireOrdinaryUser(database.em.fork())
    return await database.em.getConnection().transactional(async (transaction) => {
      // Any constant will do; it only has to be the same in every process.
      await database.em
        .getConnection()
        .execute('select pg_advisory_xact_lock(7283001)', [], 'all', transaction)
      const applied = await database.migrator.up()
      return { applied: applied.map((migration) => migration.name) }
    })
  } finally {
    await database.close(true)
  }
}
