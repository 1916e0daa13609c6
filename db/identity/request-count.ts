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
   * Requests in a window that are answered, but for those of the reserve, which count apart. The place behind the last one stands
   * for all further ones, so that none of them has to be given back.
   */
  most: number
  /** The same of the reserve, of which this request may take; null where it may not. */
  mostReserved: number | null
  /** Milliseconds from now after which a statement counts nothing any more: whoever asked has counted otherwise, or given up. */
  limit: number
}

/** How a key stands after a request was counted. */
export interface Counted {
  /** Requests in this window, this one among them, and one for all further ones: see {@link RequestCount.most}. */
  requests: number
  /** The same of the reserve. */
  reserved: number
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
 * @param isCounted whether the request of the row is counted here, in SQL by its columns
 */
export async function findCounted<Holder extends object>(
  em: EntityManager,
  { sql, parameters }: Statement,
  bucket: string,
  count: RequestCount | null,
  isCounted = 'true',
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
       where ${isCounted} and ${IN_TIME}
       on conflict (key) do update set
         points = case when c.expire <= ? then 1 else least(c.points, ?) + 1 end,
         reserved = case when c.expire <= ? then 0 when c.points < ? then c.reserved
           else least(c.reserved + 1, coalesce(?::int + 1, c.reserved)) end,
         expire = case when c.expire <= ? then excluded.expire else c.expire end
       where ${IN_TIME}
       returning points, reserved, expire)
     select holder.*, points as requests, reserved, (expire - ?)::int as "msLeft" from holder left join counted on true`,
    [
      ...parameters,
      count.prefix,
      now + count.windowMs,
      until,
      now,
      count.most,
      now,
      count.most,
      count.mostReserved,
      now,
      until,
      now,
    ],
  )
}

/** The fields of {@link Counted} in a row. */
type Countless = { [K in keyof Counted]?: Counted[K] | null }

/** How the holder that was found stands; null where nothing was counted. */
export const countedOf = ({ requests, reserved, msLeft }: Countless): Counted | null =>
  requests == null || reserved == null || msLeft == null ? null : { requests, reserved, msLeft }
