import { COUNT_TABLES } from '../engine/count-store.ts'
import type { EntityManager } from '../engine/database.ts'
import type { Statement } from '../engine/reading.ts'
import { byServerClock } from '../engine/query.ts'

/** The statement that finds the sender counts, in one round trip. */
export interface RequestCount {
  prefix: string
  /** Milliseconds; the window begins with the first request. */
  windowMs: number
  /** Requests in a window, without the reserve; one more represents all further ones, never given back. */
  most: number
  /** The reserve; null where not permitted. */
  mostReserved: number | null
  /** Milliseconds after which the caller has counted otherwise: a late statement counts nothing. */
  limit: number
}

export interface Counted {
  /** In this window, at most one above {@link RequestCount.most}. */
  requests: number
  reserved: number
  msLeft: number
}

/** An update evaluates this once its row is locked. */
const IN_TIME = 'clock_timestamp() <= to_timestamp(?::float8 / 1000)'

/**
 * At most one row, with its holder's count; nothing is counted without it, or late. Keys are rate-limiter-flexible's,
 * in the same table. `bucket`, `isCounted`: SQL by the row's columns.
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

type Countless = { [K in keyof Counted]?: Counted[K] | null }

export const countedOf = ({ requests, reserved, msLeft }: Countless): Counted | null =>
  requests == null || reserved == null || msLeft == null ? null : { requests, reserved, msLeft }
