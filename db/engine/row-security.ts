import type { BasePostgreSqlPlatform } from '@mikro-orm/postgresql'
import { preparedOf } from './bound-driver.ts'
import { bind } from './bound-statement.ts'
import { onConnection } from './connection.ts'
import type { EntityManager } from './database.ts'
import { type Query, byServerClock, forgetServerTime, noteServerTime } from './query.ts'
import { sendTogether, type BatchedStatement } from './statement-batch.ts'

export const MEMBER_ROLE = 'durable_trader_member'

/** Limits PostgreSQL to this user's rows; sign-in, supervisor and worker are the service. */
export function actAs(em: EntityManager, userId: string): void {
  em.setSessionContext({ variables: { 'app.user_id': userId, role: MEMBER_ROLE } })
}

/** A plan for all users was up to twenty times slower. */
const PLANNED_FOR_ITS_VALUES = ['plan_cache_mode', 'force_custom_plan'] as const

/** Milliseconds since the epoch; error 57014 past the parameter. */
const NOT_LATER = 'select not_later_than(?::float8) as now'

export interface QueryOptions {
  /** `each-time`: planned for its values (filters). `once`: the plan may be kept (keys). */
  plan?: 'each-time' | 'once'
  /** Milliseconds, with waits for connection and locks; past it, error 57014 and no effect. No transactions. */
  limit?: number
}

/** The user is set in the same message, in one round trip. */
export async function queryRows<Row extends object>(
  em: EntityManager,
  sql: string,
  parameters: readonly unknown[],
  options: QueryOptions = {},
): Promise<Row[]> {
  const isPlain = !em.getSessionContext() && options.limit === undefined
  if (isPlain) return em.execute<Row[]>(sql, [...parameters])
  const [rows] = await queryTogether(em, [{ sql, parameters, read: (found) => found }], options)
  return rows as readonly unknown[] as Row[]
}

/** Like {@link queryRows}, in one transaction and round trip; one by one within a transaction. */
export async function queryTogether<T>(
  em: EntityManager,
  queries: readonly Query<T>[],
  { plan = 'each-time', limit }: QueryOptions = {},
): Promise<T[]> {
  if (em.isInTransaction()) {
    const answers: T[] = []
    for (const { sql, parameters, read } of queries)
      answers.push(read(await em.execute(sql, [...parameters])))
    return answers
  }
  const { variables = {}, role } = em.getSessionContext() ?? {}
  const settings = [
    ...Object.entries(role === undefined ? variables : { ...variables, role }),
    ...(plan === 'each-time' ? [PLANNED_FOR_ITS_VALUES] : []),
    // Zero means no limit.
    ...(limit === undefined ? [] : [['statement_timeout', String(Math.max(Math.round(limit), 1))]]),
  ]
  const platform = em.getPlatform() as BasePostgreSqlPlatform
  const bound = (text: string, values: readonly unknown[]): BatchedStatement => ({
    ...bind(platform, text, values),
    name: null,
  })
  const pool = await em.getConnection().getNativeClient()
  const sendBefore = limit === undefined ? null : performance.now() + limit
  // A statement's timeout counts from its beginning, not its sending.
  const guard = sendBefore === null ? [] : [bound(NOT_LATER, [await byServerClock(pool, sendBefore)])]
  const setting = `select ${settings.map(() => 'set_config(?, ?, true)').join(', ')}`
  const before = [...(settings.length > 0 ? [bound(setting, settings.flat())] : []), ...guard]
  const statements = queries.map(({ sql, parameters }) => bound(sql, parameters))
  const prepared = preparedOf(em)
  const names = statements.map(({ text }) => prepared.nameOf(text))
  const run = (isNamed: boolean) =>
    onConnection(pool, async (client) => {
      if (sendBefore !== null && performance.now() >= sendBefore) throw new StatementTooLate()
      const named = statements.map((statement, at) => ({ ...statement, name: isNamed ? names[at]! : null }))
      return sendTogether(client, [...before, ...named, ...guard])
    })
  const answers = await run(true)
    .catch((error: unknown) => {
      const outdated = statements.filter(
        ({ text }, at) => names[at] !== null && prepared.isOutdated(text, error),
      )
      if (outdated.length === 0) throw error
      return run(false)
    })
    .catch((error: unknown) => {
      // The server's clock may have been set.
      if (guard.length > 0) forgetServerTime(pool)
      throw platform.getExceptionConverter().convertException(error as Error)
    })
  if (guard.length > 0) noteServerTime(pool, (answers.at(-1) as readonly { now: number }[])[0]!.now)
  return queries.map(({ read }, at) => read(answers[before.length + at]!))
}

class StatementTooLate extends Error {
  override readonly name = 'StatementTooLate'
  readonly code = '57014'
  constructor() {
    super('no connection was free within the time of the statement')
  }
}
