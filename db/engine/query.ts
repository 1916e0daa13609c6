import type { EntityManager } from './database.ts'

export interface Query<T> {
  /** With MikroORM's placeholder `?`. */
  sql: string
  parameters: readonly unknown[]
  read(rows: readonly never[]): T
}

export const ask = async <T>(em: EntityManager, { sql, parameters, read }: Query<T>): Promise<T> =>
  read(await em.execute<never[]>(sql, [...parameters]))
