import {
  PostgreSqlConnection,
  PostgreSqlDriver,
  type AnyEntity,
  type BasePostgreSqlPlatform,
  type Configuration,
  type Dictionary,
  type EntityManager,
  type Kysely,
  type EntityData,
  type LoggingOptions,
  type NativeQueryBuilder,
  type QueryResult,
  type RawQueryFragment,
  type Transaction,
} from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'
import { bind } from './bound-statement.ts'
import { onConnection } from './connection.ts'
import { toStorableJson } from './json.ts'
import { PreparedStatements } from './prepared.ts'
import type { BatchedStatement } from './statement-batch.ts'

/** MikroORM's driver with a connection that hands values to PostgreSQL beside the statement, not within it. */
export class BoundDriver extends PostgreSqlDriver {
  protected override readonly connection: BoundConnection

  constructor(config: Configuration) {
    super(config)
    this.connection = new BoundConnection(config)
    this.platform.convertJsonToDatabaseValue = toStorableJson
  }
}

class BoundConnection extends PostgreSqlConnection {
  readonly prepared = new PreparedStatements()

  override async execute<
    T extends QueryResult | EntityData<AnyEntity> | EntityData<AnyEntity>[] = EntityData<AnyEntity>[],
  >(
    query: string | NativeQueryBuilder | RawQueryFragment,
    parameters: readonly unknown[] | Dictionary = [],
    method: 'all' | 'get' | 'run' = 'all',
    transaction?: Transaction,
    context?: LoggingOptions,
  ): Promise<T> {
    await this.ensureConnection()
    const { sql, params } = statementOf(query, parameters)
    const { text, values } = bind(this.platform as BasePostgreSqlPlatform, sql, params)
    return this.executeQuery(
      text,
      async () => {
        // One without values may be several commands, which cannot be prepared.
        const name = values.length > 0 ? this.prepared.nameOf(text) : null
        const run = (as: string | null) =>
          transaction || values.length === 0
            ? byKysely((transaction ?? this.getClient()) as Kysely<object>, { text, values, name: as })
            : this.#alone({ text, values, name: as })
        const result = await run(name).catch((error: unknown) => {
          const isOutdated = name !== null && this.prepared.isOutdated(text, error)
          // A transaction is over with its first error; when it is made again, the statement has no name.
          if (!isOutdated || transaction) throw error
          return run(null)
        })
        return this.transformRawResult<T>(result, method)
      },
      context,
    )
  }

  /** A statement outside of transactions, for two thirds of the processor time that it takes by way of Kysely. */
  async #alone({ text, values, name }: BatchedStatement): Promise<RawResult> {
    const pool = await this.getNativeClient()
    const { command, rowCount, rows } = await onConnection(pool, (client) =>
      client.query({ text, values, ...(name !== null && { name }) }),
    )
    return { rows, ...(CHANGING.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }
}

/** Transactions are Kysely's, and so is a text of several commands. */
function byKysely(executor: Kysely<object>, { text, values, name }: BatchedStatement): Promise<RawResult> {
  // pg takes a statement with its name where it takes a text, which Kysely hands on as it is.
  const statement = name === null ? text : ({ text, name } as unknown as string)
  return executor.executeQuery(CompiledQuery.raw(statement, values))
}

/** The form that MikroORM gives to the answer of a statement. */
interface RawResult {
  rows: unknown[]
  numAffectedRows?: bigint
}

/** Commands whose count of rows is that of the rows that they have changed. */
const CHANGING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Which statements are prepared on the connections of this database. */
export const preparedOf = (em: EntityManager): PreparedStatements =>
  (em.getConnection() as BoundConnection).prepared

function statementOf(
  query: string | NativeQueryBuilder | RawQueryFragment,
  parameters: readonly unknown[] | Dictionary,
): { sql: string; params: readonly unknown[] } {
  if (typeof query !== 'string') return 'toRaw' in query ? query.toRaw() : query
  if (!Array.isArray(parameters)) throw new TypeError('Values of a statement are given in their order')
  return { sql: query, params: parameters }
}
