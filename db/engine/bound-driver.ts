import {
  PostgreSqlConnection,
  PostgreSqlDriver,
  type AnyEntity,
  type BasePostgreSqlPlatform,
  type Configuration,
  type Dictionary,
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

/** MikroORM's driver with a connection that hands values to PostgreSQL beside the statement, not within it. */
export class BoundDriver extends PostgreSqlDriver {
  protected override readonly connection: BoundConnection

  constructor(config: Configuration) {
    super(config)
    this.connection = new BoundConnection(config)
  }
}

class BoundConnection extends PostgreSqlConnection {
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
        const executor = (transaction ?? this.getClient()) as Kysely<object>
        const result = await executor.executeQuery(CompiledQuery.raw(text, values))
        return this.transformRawResult<T>(result, method)
      },
      context,
    )
  }
}

function statementOf(
  query: string | NativeQueryBuilder | RawQueryFragment,
  parameters: readonly unknown[] | Dictionary,
): { sql: string; params: readonly unknown[] } {
  if (typeof query !== 'string') return 'toRaw' in query ? query.toRaw() : query
  if (!Array.isArray(parameters)) throw new TypeError('Values of a statement are given in their order')
  return { sql: query, params: parameters }
}
