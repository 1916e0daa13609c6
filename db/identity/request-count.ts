import { COUNT_TABLES } from '../engine/count-store.ts'
import type { EntityManager } from '../engine/database.ts'
import type { Statement } from '../engine/reading.ts'
import { byServerClock } from '../engine/server-clock.ts'

/** How a request is counted by the statement that finds who sends it: in one round trip instead of two. */
export interface RequestCount {
  /** Begins the keys of this limit. */
  prefix: string
  /** Length of the window, which begins with the first request, in milliseconds. */
  windowMs: number
  /**
   * Requests in a window that are answered, but for those with the reserve. The place behind them stands for all that are refused,
   * so that these take nothing of the reserve, which begins after it.
   */
  most: number
  /** The request may take of the reserve. */
  reserve: boolean
  /** Milliseconds from now after which a statement counts nothing any more: whoever asked has counted otherwise, or given up. */
  limit: number
}

/** How a key stands after a request was counted. */
export interface Counted {
  /** Requests in this window, this one among them, and one for all that were refused: see {@link RequestCount.most}. */
  requests: number
  /** Milliseconds until the window ends. */
  msLeft: number
}

/** Of an update it is asked once its row is locked. */
const IN_TIME = 'clock_timestamp() <= to_timestamp(?::float8 / 1000)'

/**
 * The rows that a statement finds, and in the same round trip how their holder stands with a limit: nothing is counted
 * where no row is found, nor by a statement that is late: that lay in a server which stood still, or has waited for others
 * that count the same key. Rows and keys of the count are those of rate-limiter-flexible, which counts in the same table
 * what is not found so.
 *
 * @param finding finds one row at most
 * @param bucket whose requests count together, in SQL by the columns of the row
 * @param count null where nothing is counted
 */
export async function findCounted<Holder extends object>(
  em: EntityManager,
  { sql, parameters }: Statement,
  bucket: string,
  count: RequestCount | null,
): Promise<(Holder & Countless)[]> {
  const asked = performance.now()
  if (count === null) return em.execute<Holder[]>(sql, [...parameters])
  const now = Date.now()
  const pool = await em.getConnection().getNativeClient()
  const until = await byServerClock(pool, asked + count.limit)
  return em.execute<(Holder & Countless)[]>(
    `with holder as (${sql}),
     counted as (
       insert into ${COUNT_TABLES.quick} as c (key, points, expire)
       select concat(?::text, ':', ${bucket}), 1, ? from holder
       where ${IN_TIME}
       on conflict (key) do update set
         points = case when c.expire <= ? then 1 when c.points < ? then c.points + 1 else greatest(c.points, ?) + ? end,
         expire = case when c.expire <= ? then excluded.expire else c.expire end
       where ${IN_TIME}
       returning points, expire)
     select holder.*, points as requests, (expire - ?)::int as "msLeft" from holder left join counted on true`,
    [
      ...parameters,
      count.prefix,
      now + count.windowMs,
      until,
      now,
      count.most,
      count.most + 1,
      count.reserve ? 1 : 0,
      now,
      until,
      now,
    ],
  )
}

/** The fields of {@link Counted} in a row. */
type Countless = { [K in keyof Counted]?: Counted[K] | null }

/** How the holder that was found stands; null where nothing was counted. */
export const countedOf = ({ requests, msLeft }: Countless): Counted | null =>
  requests == null || msLeft == null ? null : { requests, msLeft }
