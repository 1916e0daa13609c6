import type { EntityManager } from './database.ts'

/** Resolves when the database answers a query. */
export async function checkConnection(em: EntityManager): Promise<void> {
  await em.getConnection().execute('select 1')
}
