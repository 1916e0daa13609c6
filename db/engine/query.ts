import type { EntityManager } from './database.ts'

/** A statement, and what its rows tell. */
export interface Query<T> {
  /** With MikroORM's placeholders: `?` for a value. */
  sql: string
  parameters: readonly unknown[]
  read(rows: readonly never[]): T
}

/** Asks one query by itself. */
export const ask = async <T>(em: EntityManager, { sql, parameters, read }: Query<T>): Promise<T> =>
  read(await em.execute<never[]>(sql, [...parameters]))
