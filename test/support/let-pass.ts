import type { EntityManager } from '#db/engine/database.ts'

/**
 * Has so many milliseconds pass in the ledger since all that it knows: ages are judged by the clock of PostgreSQL, which a test
 * cannot set. What orders wait for at their broker stays as it is.
 */
export async function letPass(em: EntityManager, milliseconds: number): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - make_interval(secs => ${milliseconds / 1_000})`
  for (const sql of [
    `update fills set ${earlier('recorded_at')}`,
    `update fill_amendments set ${earlier('amended_at')}`,
    `update orders set ${earlier('updated_at')}, ${earlier('cancelled_for_at')}`,
    `update signals set ${earlier('updated_at')}, ${earlier('sequencing_until')}`,
  ])
    await em.fork().execute(sql, [], 'run')
}
