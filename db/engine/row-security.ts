import type { BasePostgreSqlPlatform } from '@mikro-orm/postgresql'
import { preparedOf } from './bound-driver.ts'
import { bind } from './bound-statement.ts'
import type { EntityManager } from './database.ts'
import { byServerClock, forgetServerTime, noteServerTime } from './server-clock.ts'
import { StatementBatch } from './statement-batch.ts'

/** The database role in whose name the API works for a user; the migrations make it and say what it may see. */
export const MEMBER_ROLE = 'durable_trader_member'

/**
 * From here on this view of the database works in the name of a user: every statement runs in a transaction in
 * which PostgreSQL shows and takes rows of that user only, whatever the statement forgets to ask. It is the wall
 * behind the owner that every query names anyway.
 *
 * What serves all users, such as signing in, the sweeper and the worker, works in the name of the service.
 */
export function actAs(em: EntityManager, userId: string): void {
  em.setSessionContext({ variables: { 'app.user_id': userId, role: MEMBER_ROLE } })
}

/**
 * A prepared statement keeps its parse tree alone. A plan for any user and filter was up to twenty times slower for those
 * who have more than half of all rows.
 */
const PLANNED_FOR_ITS_VALUES = ['plan_cache_mode', 'force_custom_plan'] as const

/** The server's time in milliseconds since the epoch; or error 57014 when it is later than given. */
const NOT_LATER = 'not_later_than(?::float8)'

export interface QueryOptions {
  /**
   * `each-time`: for the values at hand, for a list of a filter. `once`: PostgreSQL may keep the plan, for a statement by
   * keys, which has the same for any values.
   */
  plan?: 'each-time' | 'once'
  /**
   * Milliseconds from now for the statement, with its wait for a connection and for locks; no limit of its own without it. It
   * has no effect after that, wherever it stood still on its way, and fails as one that PostgreSQL cut off (57014). Only a
   * commit that has begun is not taken back. Not for a transaction.
   */
  limit?: number
}

/**
 * The rows that one statement answers, in the name of whom this view of the database acts for, in one round trip: the
 * name goes before the statement in the same message, which PostgreSQL runs as one transaction. Nothing of the message
 * is run without the name, and the name ends with it. Opening and closing a transaction around the statement, as
 * everything else does, takes three round trips more.
 */
export async function queryRows<Row extends object>(
  em: EntityManager,
  sql: string,
  parameters: readonly unknown[],
  { plan = 'each-time', limit }: QueryOptions = {},
): Promise<Row[]> {
  const { variables = {}, role } = em.getSessionContext() ?? {}
  const name = Object.entries(role === undefined ? variables : { ...variables, role })
  if ((name.length === 0 && limit === undefined) || em.isInTransaction())
    return em.execute<Row[]>(sql, [...parameters])
  const settings = [
    ...name,
    ...(plan === 'each-time' ? [PLANNED_FOR_ITS_VALUES] : []),
    // Zero would be no limit at all.
    ...(limit === undefined ? [] : [['statement_timeout', String(Math.max(Math.round(limit), 1))]]),
  ]
  const sendBefore = limit === undefined ? undefined : performance.now() + limit
  const platform = em.getPlatform() as BasePostgreSqlPlatform
  const pool = await em.getConnection().getNativeClient()
  // A statement's timeout counts from its beginning, which may come long after it was sent.
  const until = sendBefore === undefined ? null : await byServerClock(pool, sendBefore)
  const guard =
    until === null ? [] : [{ ...bind(platform, `select ${NOT_LATER} as now`, [until]), name: null }]
  const naming = bind(
    platform,
    `select ${[...settings.map(() => 'set_config(?, ?, true)'), ...(until === null ? [] : [NOT_LATER])].join(', ')}`,
    [...settings.flat(), ...(until === null ? [] : [until])],
  )
  const statement = bind(platform, sql, parameters)
  // The pool takes a query that knows how to send itself, which its types do not say.
  const run = (as: string | null) =>
    pool.query(
      new StatementBatch(
        [{ ...naming, name: null }, { ...statement, name: as }, ...guard],
        sendBefore,
        1,
      ) as unknown as string,
    )
  const prepared = preparedOf(em)
  const kept = prepared.nameOf(statement.text)
  const results = await run(kept)
    .catch((error: unknown) => {
      if (kept === null || !prepared.isOutdated(statement.text, error)) throw error
      return run(null)
    })
    .catch((error: unknown) => {
      // The server's clock may have been set.
      if (until !== null) forgetServerTime(pool)
      throw platform.getExceptionConverter().convertException(error as Error)
    })
  const [, found, guarded] = results as unknown as { rows: object[] }[]
  if (until !== null) noteServerTime(pool, (guarded!.rows as { now: number }[])[0]!.now)
  return found!.rows as Row[]
}
