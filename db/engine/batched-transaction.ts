import type { BasePostgreSqlPlatform } from '@mikro-orm/postgresql'
import type { PoolClient } from 'pg'
import { preparedOf } from './bound-driver.ts'
import { bind } from './bound-statement.ts'
import { onConnection } from './connection.ts'
import type { EntityManager } from './database.ts'
import type { Query } from './query.ts'
import { sendTogether, type BatchedStatement, type Rows } from './statement-batch.ts'

/** The answers of the queries of a batch, in their order. */
type Told<Queries extends readonly Query<unknown>[]> = {
  -readonly [At in keyof Queries]: Queries[At] extends Query<infer T> ? T : never
}

/** A transaction that was begun with the first batch, for what depends on its answers. */
export interface BatchedTransaction {
  /** Runs the last batch and commits, in one message. */
  commit<const Queries extends readonly Query<unknown>[]>(...queries: Queries): Promise<Told<Queries>>
}

const command = (text: string): BatchedStatement => ({ text, values: [], name: null })
/** A statement by keys has the same plan for any values; otherwise each connection makes five for the values at hand first. */
const BEGIN = [command('begin'), command('set local plan_cache_mode = force_generic_plan')]
const COMMIT = [command('commit')]

/**
 * One transaction in two messages, where each statement of `em.transactional()` is a round trip, its beginning and its end
 * too. Rolled back unless `decide` commits.
 *
 * For statements by keys, whose plans PostgreSQL keeps. Not in the name of a user (`actAs()`), and not within another transaction.
 *
 * @param queries asked together with the beginning
 * @param decide called with their answers
 */
export async function inTwoMessages<const Queries extends readonly Query<unknown>[], T>(
  em: EntityManager,
  queries: Queries,
  decide: (answers: Told<Queries>, transaction: BatchedTransaction) => Promise<T>,
): Promise<T> {
  const pool = await em.getConnection().getNativeClient()
  return onConnection(pool, async (client, discard) => {
    let isOpen = true
    try {
      const answers = tell(queries, await send(em, client, queries, { begins: true }))
      return await decide(answers, {
        async commit(...last) {
          const results = await send(em, client, last, { commits: true })
          isOpen = false
          return tell(last, results)
        },
      })
    } finally {
      // A connection that cannot roll back ends, and PostgreSQL does so then.
      if (isOpen) await client.query('rollback').catch(discard)
    }
  })
}

const tell = <const Queries extends readonly Query<unknown>[]>(
  queries: Queries,
  answers: readonly Rows[],
): Told<Queries> => queries.map(({ read }, at) => read(answers[at]!)) as Told<Queries>

async function send(
  em: EntityManager,
  client: PoolClient,
  queries: readonly Query<unknown>[],
  { begins = false, commits = false }: { begins?: boolean; commits?: boolean },
): Promise<Rows[]> {
  const platform = em.getPlatform() as BasePostgreSqlPlatform
  const prepared = preparedOf(em)
  const statements = queries.map(({ sql, parameters }): BatchedStatement => {
    const statement = bind(platform, sql, parameters)
    return { ...statement, name: prepared.nameOf(statement.text) }
  })
  const before = begins ? BEGIN : []
  try {
    const answers = await sendTogether(client, [...before, ...statements, ...(commits ? COMMIT : [])])
    return answers.slice(before.length)
  } catch (error) {
    // The transaction is over with its first error; when it is made again, the statement has no name.
    for (const { text } of statements) prepared.isOutdated(text, error)
    throw platform.getExceptionConverter().convertException(error as Error)
  }
}
