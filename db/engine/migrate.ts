import { requireFitDatabase } from './database-check.ts'
import { migrations } from '../migrations/index.ts'
import { openDatabase } from './database.ts'

/** Schema of a development version, without migration to here. */
export class UnreleasedSchema extends Error {
  override readonly name = 'UnreleasedSchema'
}

/** Safe to repeat and to run concurrently. Throws UnfitDatabase and {@link UnreleasedSchema}. */
export async function migrate(databaseUrl: string): Promise<{ applied: string[] }> {
  const database = await openDatabase(databaseUrl, 2)
  try {
    await requireFitDatabase(database.em.fork())
    return await database.em.getConnection().transactional(async (transaction) => {
      await database.em
        .getConnection()
        .execute('select pg_advisory_xact_lock(7283001)', [], 'all', transaction)
      const done = await database.migrator.getExecuted()
      if (done.length > 0 && done[0]!.name !== migrations[0]!.name)
        throw new UnreleasedSchema(
          `The database was made by a development version (${done[0]!.name}), which cannot be brought to this one. ` +
            'Use another database; `npm run reset` wipes the data of `npm start`.',
        )
      const applied = await database.migrator.up()
      return { applied: applied.map((migration) => migration.name) }
    })
  } finally {
    await database.close(true)
  }
}
