/** By what requests are counted together. */
type LimitKey = 'ip' | 'device' | 'principal'

/** A bound on how often something may be done. */
export interface Bound {
  /** Times in a window. */
  limit: number
  /** Length of the window, which begins with the first time, in seconds. */
  seconds: number
}

/** How a key stands in its window. */
export interface RateLimitState {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
}

/** A bound on requests. */
export interface Tier extends Bound {
  by: LimitKey
}

export const MINUTE_SECONDS = 60

/** Requests in a minute that the owner of a hook may allow it. */
const MOST_OF_HOOK = 600

/** The six tiers of the specification, section 8. The webhook route has none of its own. */
export const TIERS = {
  auth: { limit: 10, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  password: { limit: 3, seconds: 60 * MINUTE_SECONDS, by: 'ip' },
  secondFactor: { limit: 10, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  refresh: { limit: 100, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  desktopSync: { limit: 60, seconds: MINUTE_SECONDS, by: 'device' },
  default: { limit: 200, seconds: MINUTE_SECONDS, by: 'principal' },
  /** Beside the specification: what a hook may have at most. Its owner sets less. */
  hooks: { limit: MOST_OF_HOOK, seconds: MINUTE_SECONDS, by: 'principal' },
  /** All hooks of a person together, in each process: what they cost it is what they take from others. */
  hooksOfPerson: { limit: MOST_OF_HOOK, seconds: MINUTE_SECONDS, by: 'principal' },
} as const satisfies Record<string, Tier>

export type TierName = keyof typeof TIERS

/**
 * Requests beyond the limit that are left to routes which place, move or stop money: they count like all others, and no reading
 * keeps them out.
 */
export const RESERVE = 60

/** Requests in a window that a route answers. */
export const limitOf = (tier: TierName, { reserve }: { reserve: boolean }): number =>
  TIERS[tier].limit + (reserve ? RESERVE : 0)

const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS

/** Failed attempts in a row that a month allows (NIST SP 800-63B, section 3.2.2, asks for at most 100). */
const IN_A_ROW = { limit: 100, seconds: 30 * DAY_SECONDS }

/**
 * Failed attempts on one account, wherever they come from: limits by address are no bound on somebody who has
 * many. An attempt has to be within every bound; the first one that refuses keeps it from being counted by the next.
 */
export const ATTEMPTS = {
  password: [{ limit: 20, seconds: 15 * MINUTE_SECONDS }, IN_A_ROW],
  secondFactor: [{ limit: 10, seconds: 15 * MINUTE_SECONDS }, IN_A_ROW],
  /** Codes of sign-ins of one account, wherever they come from, known devices among it. */
  secondFactorInAll: [{ limit: 30, seconds: DAY_SECONDS }],
  /** Messages to one address that somebody at one other address asks for. Warnings are not among them. */
  mail: [{ limit: 5, seconds: 60 * MINUTE_SECONDS }],
  /** The same, whoever asks for them. */
  mailInAll: [{ limit: 20, seconds: 60 * MINUTE_SECONDS }],
} as const satisfies Record<string, readonly [Bound, ...Bound[]]>

export type AttemptKind = keyof typeof ATTEMPTS
