import type { EntityManager } from './database.ts'

export async function checkConnection(em: EntityManager): Promise<void> {
  await em.getConnection().execute('select 1')
}
