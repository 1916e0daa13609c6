import type { EntityManager } from './database.ts'
import { MEMBER_ROLE } from './row-security.ts'
import type { BasePostgreSqlPlatform } from '@mikro-orm/postgresql'
import type { PoolClient } from 'pg'
import { preparedOf } from './bound-driver.ts'
import { bind } from './bound-statement.ts'
import { onConnection } from './connection.ts'
import { ask, type Query } from './query.ts'
import { sendTogether, type BatchedStatement, type Rows } from './statement-batch.ts'

/** Rolls `work` back however it ends; transactions of its forks are savepoints. */
export async function rolledBack<T>(
  em: EntityManager,
  work: (inner: EntityManager) => Promise<T>,
): Promise<T> {
  const outer = within(em.fork())
  await outer.begin()
  try {
    return await work(outer)
  } finally {
    await outer.rollback()
  }
}

const bound = new WeakSet<EntityManager>()

const isRolledBack = (em: EntityManager): boolean => bound.has(em)

function within(em: EntityManager): EntityManager {
  bound.add(em)
  const fork = em.fork.bind(em)
  return Object.assign(em, {
    fork: (options: Parameters<typeof fork>[0]) => within(fork({ ...options, keepTransactionContext: true })),
  })
}

/** Acts for the user, or the service (null), until the transaction ends. */
export const goOnAs = (em: EntityManager, userId: string | null): Promise<unknown> =>
  em.execute(`select set_config('app.user_id', ?, true), set_config('role', ?, true)`, [
    userId ?? '',
    userId === null ? 'none' : MEMBER_ROLE,
  ])

type Notified<Queries extends readonly Query<unknown>[]> = {
  -readonly [At in keyof Queries]: Queries[At] extends Query<infer T> ? T : never
}

export interface BatchedTransaction {
  commit<const Queries extends readonly Query<unknown>[]>(...queries: Queries): Promise<Notified<Queries>>
}

const command = (text: string): BatchedStatement => ({ text, values: [], name: null })
/** Otherwise each connection would make five custom plans first. */
const BEGIN = [command('begin'), command('set local plan_cache_mode = force_generic_plan')]
const COMMIT = [command('commit')]

/** Rolls back unless `decide` commits. Not for `actAs()`, nor in another transaction than `rolledBack()`. */
export async function inTwoMessages<const Queries extends readonly Query<unknown>[], T>(
  em: EntityManager,
  queries: Queries,
  decide: (answers: Notified<Queries>, transaction: BatchedTransaction) => Promise<T>,
): Promise<T> {
  if (isRolledBack(em))
    return decide(await oneByOne(em, queries), { commit: (...last) => oneByOne(em, last) })
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
      if (isOpen) await client.query('rollback').catch(discard)
    }
  })
}

async function oneByOne<const Queries extends readonly Query<unknown>[]>(
  em: EntityManager,
  queries: Queries,
): Promise<Notified<Queries>> {
  const answers: unknown[] = []
  for (const query of queries) answers.push(await ask(em, query))
  return answers as Notified<Queries>
}

const tell = <const Queries extends readonly Query<unknown>[]>(
  queries: Queries,
  answers: readonly Rows[],
): Notified<Queries> => queries.map(({ read }, at) => read(answers[at]!)) as Notified<Queries>

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
    // The first error ends the transaction; the next attempt is unnamed.
    for (const { text } of statements) prepared.isOutdated(text, error)
    throw platform.getExceptionConverter().convertException(error as Error)
  }
}
