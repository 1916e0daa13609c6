import { createHash } from 'node:crypto'
import type { EntityManager } from './database.ts'
import { TERMINAL_STATUSES, WORKING_STATUSES } from '#domain/order.ts'
import { FREED_STATUSES, LEAVING_STATUSES, UNPLACED_STATUSES } from '#domain/signal.ts'

/** Ids, codes or hashes as the text of an array parameter: a list would be spread over the statement. */
export const asArray = (values: readonly string[]): string => `{${values.join(',')}}`

/** Version 5 UUID (RFC 9562, section 5.5). */
export function derivedId(namespace: Buffer, name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** As PostgreSQL answers it, or writes it into JSON. */
export type StoredInstant = Date | string

/** UTC instant in ISO form. */
export const instantOf = (stored: StoredInstant): string => new Date(stored).toISOString()

export const instantOrNull = (stored: StoredInstant | null): string | null =>
  stored === null ? null : instantOf(stored)

/** PostgreSQL's clock, which dates all of the ledger; UTC. */
export async function readInstant(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ now: StoredInstant }[]>('select now() as now')
  return instantOf(row!.now)
}

/** For `status in …`. As literals, so that PostgreSQL finds the partial indexes on them. */

const listOf = (statuses: readonly string[]): string =>
  `(${statuses.map((status) => `'${status}'`).join(', ')})`

export const WORKING = listOf(WORKING_STATUSES)
export const TERMINAL = listOf(TERMINAL_STATUSES)
export const UNFILLED_ENDS = listOf(TERMINAL_STATUSES.filter((status) => status !== 'FILLED'))

export const UNPLACED = listOf(UNPLACED_STATUSES)
export const LEAVING = listOf(LEAVING_STATUSES)
export const UNDER_WAY = listOf([...LEAVING_STATUSES, 'executed'])
/** Signals that others of their account and symbol wait for, once it is their turn. */
export const IN_TURN = listOf(['scheduled', ...LEAVING_STATUSES, 'executed'])
export const FREED = listOf(FREED_STATUSES)
