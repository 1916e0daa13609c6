import type { DenialCode } from './denial.ts'

export const HALT_LEVELS = ['pauseEntries', 'reduceOnly', 'fullStop'] as const
/**
 * How far the kill switch is thrown, from mild to severe. pauseEntries: no signal opens a position.
 * reduceOnly: nothing opens a position, manual orders included. fullStop: nothing is sent at all;
 * exits wait, and go out when it is lifted.
 */
export type HaltLevel = (typeof HALT_LEVELS)[number]

export const HALT_SCOPES = ['global', 'operator', 'user', 'account'] as const
/**
 * Whom a halt binds: everybody (set by the operator), one user's accounts (operator: set by an administrator, and not theirs
 * to lift; user: set by themselves), or one account.
 */
export type HaltScope = (typeof HALT_SCOPES)[number]

/** The most severe of the halts that bind an account now. */
export interface ActiveHalt {
  level: HaltLevel
  scope: HaltScope
  /** As given by whoever set it; null where none was given. */
  reason: string | null
}

/** Whether `level` forbids everything that `other` forbids. */
export const isAtLeast = (level: HaltLevel, other: HaltLevel): boolean =>
  HALT_LEVELS.indexOf(level) >= HALT_LEVELS.indexOf(other)

const CODES: Record<HaltLevel, DenialCode> = {
  pauseEntries: 'TRADING_PAUSED',
  reduceOnly: 'REDUCE_ONLY',
  fullStop: 'TRADING_STOPPED',
}
const HALT_WORDS: Record<HaltLevel, string> = {
  pauseEntries: 'Entries are paused',
  reduceOnly: 'Positions may only be reduced',
  fullStop: 'Trading is stopped',
}
const FOR_WHOM: Record<HaltScope, string> = {
  global: 'for everybody',
  operator: 'for this user, by an administrator',
  user: 'for all accounts of the user',
  account: 'for this account',
}

/** The halt in words, such as "Entries are paused for this account: earnings day". */
const describeHalt = ({ level, scope, reason }: ActiveHalt): string =>
  `${HALT_WORDS[level]} ${FOR_WHOM[scope]}${reason === null ? '' : `: ${reason}`}`

/**
 * The most severe halt that binds an account, of the halts that bind its owner; null when it may trade.
 *
 * @param standing halts that stand, those of other accounts among them
 */
export function haltOf<Halt extends { level: HaltLevel; accountId: string | null }>(
  standing: readonly Halt[],
  accountId: string,
): Halt | null {
  const binding = standing.filter((halt) => halt.accountId === null || halt.accountId === accountId)
  return binding.reduce<Halt | null>(
    (worst, halt) => (worst !== null && isAtLeast(worst.level, halt.level) ? worst : halt),
    null,
  )
}

/** The terms of an order that decide whether a halt binds it. */
export interface HaltedOrder {
  /** The order takes from a position. */
  reducing: boolean
  /** A person placed it, as opposed to a signal. */
  isManual: boolean
}

/** Whether an order must not be sent at this level. */
export function haltForbids(level: HaltLevel, { reducing, isManual }: HaltedOrder): boolean {
  if (level === 'fullStop') return true
  return !reducing && !(isManual && level === 'pauseEntries')
}

/**
 * The halt that would forbid an order of an account now; null where none would.
 *
 * @param standing as {@link haltOf} takes them
 */
export function haltAgainst<Halt extends { level: HaltLevel; accountId: string | null }>(
  standing: readonly Halt[],
  accountId: string,
  order: HaltedOrder,
): Halt | null {
  const halt = haltOf(standing, accountId)
  return halt !== null && haltForbids(halt.level, order) ? halt : null
}

/** The code with which an order is refused that the halt forbids. */
export const haltDenial = (halt: ActiveHalt): { code: DenialCode; detail: string } => ({
  code: CODES[halt.level],
  detail: describeHalt(halt),
})
