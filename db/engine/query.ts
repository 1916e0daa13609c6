import type { EntityManager } from './database.ts'
import type { Pool } from 'pg'
import { createHash } from 'node:crypto'
import { TERMINAL_STATUSES, WORKING_STATUSES } from '#domain/order/order.ts'
import { FREED_STATUSES, LEAVING_STATUSES, UNPLACED_STATUSES } from '#domain/signal/signal.ts'

export interface Query<T> {
  sql: string
  parameters: readonly unknown[]
  read(rows: readonly never[]): T
}

export const ask = async <T>(em: EntityManager, { sql, parameters, read }: Query<T>): Promise<T> =>
  read(await em.execute<never[]>(sql, [...parameters]))

interface Reading {
  /** Lower bound of the server's clock less ours; milliseconds. */
  ahead: number
  /** Milliseconds of `performance.now()`. */
  at: number
}

export const SERVER_TIME = 'select extract(epoch from clock_timestamp())::float8 * 1000 as now'

/** Milliseconds after which any newer reading wins: clocks drift. */
const FRESH = 10_000

const readings = new WeakMap<Pool, Reading>()

/** Notes server time, in milliseconds since the epoch, from a fresh answer. */
export function noteServerTime(pool: Pool, told: number): void {
  const at = performance.now()
  const known = readings.get(pool)
  const ahead = told - at
  // The fastest answer is the most exact.
  if (known === undefined || at - known.at > FRESH || ahead > known.ahead) readings.set(pool, { ahead, at })
}

export const forgetServerTime = (pool: Pool): void => void readings.delete(pool)

/** Milliseconds since the epoch, never later than `moment` of `performance.now()`. */
export async function byServerClock(pool: Pool, moment: number): Promise<number> {
  const known = readings.get(pool)
  if (known === undefined || performance.now() - known.at > FRESH) {
    const { rows } = await pool.query<{ now: number }>(SERVER_TIME)
    noteServerTime(pool, rows[0]!.now)
  }
  return readings.get(pool)!.ahead + moment
}

/** Array parameter: a list would be spread over the statement. */
export const asArray = (values: readonly string[]): string => `{${values.join(',')}}`

/** Version 5 UUID (RFC 9562, section 5.5). */
export function derivedId(namespace: Buffer, name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

export type StoredInstant = Date | string

/** UTC instant in ISO form. */
export const instantOf = (stored: StoredInstant): string => new Date(stored).toISOString()

export const instantOrNull = (stored: StoredInstant | null): string | null =>
  stored === null ? null : instantOf(stored)

/** UTC instant of PostgreSQL's clock. */
export async function readInstant(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ now: StoredInstant }[]>('select now() as now')
  return instantOf(row!.now)
}

/** Literals, so that PostgreSQL finds the partial indexes. */
const listOf = (statuses: readonly string[]): string =>
  `(${statuses.map((status) => `'${status}'`).join(', ')})`

export const WORKING = listOf(WORKING_STATUSES)
export const TERMINAL = listOf(TERMINAL_STATUSES)
export const UNFILLED_ENDS = listOf(TERMINAL_STATUSES.filter((status) => status !== 'FILLED'))

export const UNPLACED = listOf(UNPLACED_STATUSES)
export const LEAVING = listOf(LEAVING_STATUSES)
export const UNDER_WAY = listOf([...LEAVING_STATUSES, 'executed'])
export const IN_TURN = listOf(['scheduled', ...LEAVING_STATUSES, 'executed'])
export const FREED = listOf(FREED_STATUSES)
