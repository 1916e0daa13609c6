import type { DenialCode } from './denial.ts'

export const HALT_LEVELS = ['pauseEntries', 'reduceOnly', 'fullStop'] as const
/** pauseEntries: no signal opens. reduceOnly: no person either. fullStop: nothing is sent, and exits wait. */
export type HaltLevel = (typeof HALT_LEVELS)[number]

export const HALT_SCOPES = ['global', 'operator', 'user', 'account'] as const
/** global and operator: by the operator, or an administrator for one user, who cannot lift them. */
export type HaltScope = (typeof HALT_SCOPES)[number]

export interface ActiveHalt {
  level: HaltLevel
  scope: HaltScope
  reason: string | null
}

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

const describeHalt = ({ level, scope, reason }: ActiveHalt): string =>
  `${HALT_WORDS[level]} ${FOR_WHOM[scope]}${reason === null ? '' : `: ${reason}`}`

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

export interface HaltedOrder {
  reducing: boolean
  isManual: boolean
}

export function haltForbids(level: HaltLevel, { reducing, isManual }: HaltedOrder): boolean {
  if (level === 'fullStop') return true
  return !reducing && !(isManual && level === 'pauseEntries')
}

export function haltAgainst<Halt extends { level: HaltLevel; accountId: string | null }>(
  standing: readonly Halt[],
  accountId: string,
  order: HaltedOrder,
): Halt | null {
  const halt = haltOf(standing, accountId)
  return halt !== null && haltForbids(halt.level, order) ? halt : null
}

export const haltDenial = (halt: ActiveHalt): { code: DenialCode; detail: string } => ({
  code: CODES[halt.level],
  detail: describeHalt(halt),
})
