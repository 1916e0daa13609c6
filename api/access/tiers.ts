type LimitKey = 'ip' | 'device' | 'principal'

export interface Bound {
  limit: number
  seconds: number
}

export interface RateLimitState {
  isAllowed: boolean
  limit: number
  remaining: number
  resetSeconds: number
}

export interface Tier extends Bound {
  by: LimitKey
}

export const MINUTE_SECONDS = 60

const MOST_OF_HOOK = 600

export const TIERS = {
  auth: { limit: 10, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  password: { limit: 3, seconds: 60 * MINUTE_SECONDS, by: 'ip' },
  secondFactor: { limit: 10, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  refresh: { limit: 100, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  desktopSync: { limit: 60, seconds: MINUTE_SECONDS, by: 'device' },
  default: { limit: 200, seconds: MINUTE_SECONDS, by: 'principal' },
  hooks: { limit: MOST_OF_HOOK, seconds: MINUTE_SECONDS, by: 'principal' },
  hooksOfPerson: { limit: MOST_OF_HOOK, seconds: MINUTE_SECONDS, by: 'principal' },
} as const satisfies Record<string, Tier>

export type TierName = keyof typeof TIERS

/** Requests beyond the limit for routes that place, move or stop money: no reading keeps them out. */
export const RESERVE = 60

export const limitOf = (tier: TierName, { reserve }: { reserve: boolean }): number =>
  TIERS[tier].limit + (reserve ? RESERVE : 0)

const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS

/** In a month (NIST SP 800-63B, section 3.2.2: at most 100). */
const IN_A_ROW = { limit: 100, seconds: 30 * DAY_SECONDS }

/** On one account, from any address. The first bound that refuses keeps an attempt from the next. */
export const ATTEMPTS = {
  password: [{ limit: 20, seconds: 15 * MINUTE_SECONDS }, IN_A_ROW],
  secondFactor: [{ limit: 10, seconds: 15 * MINUTE_SECONDS }, IN_A_ROW],
  secondFactorInAll: [{ limit: 30, seconds: DAY_SECONDS }],
  /** To one address, by one asking address; warnings are not counted. */
  mail: [{ limit: 5, seconds: 60 * MINUTE_SECONDS }],
  mailInAll: [{ limit: 20, seconds: 60 * MINUTE_SECONDS }],
} as const satisfies Record<string, readonly [Bound, ...Bound[]]>

export type AttemptKind = keyof typeof ATTEMPTS
