import { createHash } from 'node:crypto'
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
import type { BatchedStatement } from './statement-batch.ts'

const FROM_USE = 10
const MAX_PREPARED = 200
const MOST_COUNTED = 2_000

/** PostgreSQL's code when a prepared statement's columns changed. */
const FEATURE_NOT_SUPPORTED = '0A000'

/** Frequent statements are prepared: PostgreSQL plans them once per connection. */
export class PreparedStatements {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()

  /** Counts a use; null where not prepared. */
  nameOf(text: string): string | null {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses < FROM_USE || this.#names.size >= MAX_PREPARED) {
      if (this.#uses.size < MOST_COUNTED || uses > 1) this.#uses.set(text, uses)
      return null
    }
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    this.#uses.delete(text)
    this.#names.set(text, name)
    return name
  }

  /** Whether PostgreSQL refuses the name; the statement may be repeated unnamed. */
  isOutdated(text: string, error: unknown): boolean {
    if ((error as { code?: string }).code !== FEATURE_NOT_SUPPORTED) return false
    this.#names.delete(text)
    this.#uses.set(text, Number.NEGATIVE_INFINITY)
    return true
  }
}

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
        // Several commands cannot be prepared.
        const name = values.length > 0 ? this.prepared.nameOf(text) : null
        const run = (as: string | null) =>
          transaction || values.length === 0
            ? byKysely((transaction ?? this.getClient()) as Kysely<object>, { text, values, name: as })
            : this.#alone({ text, values, name: as })
        const result = await run(name).catch((error: unknown) => {
          const isOutdated = name !== null && this.prepared.isOutdated(text, error)
          if (!isOutdated || transaction) throw error
          return run(null)
        })
        return this.transformRawResult<T>(result, method)
      },
      context,
    )
  }

  /** Needs two thirds of Kysely's processor time. */
  async #alone({ text, values, name }: BatchedStatement): Promise<RawResult> {
    const pool = await this.getNativeClient()
    const { command, rowCount, rows } = await onConnection(pool, (client) =>
      client.query({ text, values, ...(name !== null && { name }) }),
    )
    return { rows, ...(CHANGING.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }
}

function byKysely(executor: Kysely<object>, { text, values, name }: BatchedStatement): Promise<RawResult> {
  // pg accepts a named statement for a text; Kysely passes it.
  const statement = name === null ? text : ({ text, name } as unknown as string)
  return executor.executeQuery(CompiledQuery.raw(statement, values))
}

interface RawResult {
  rows: unknown[]
  numAffectedRows?: bigint
}

const CHANGING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

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
