import { TERMINAL_STATUSES, WORKING_STATUSES } from '#domain/order.ts'
import { FREED_STATUSES, LEAVING_STATUSES, UNPLACED_STATUSES } from '#domain/signal-status.ts'

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
