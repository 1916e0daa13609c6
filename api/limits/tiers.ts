/** By what requests are counted together. */
export type LimitKey = 'ip' | 'device' | 'principal'

/** A bound on how often something may be asked for. */
export interface Tier {
  /** Requests in a window. */
  limit: number
  /** Length of the window, which begins with its first request, in seconds. */
  seconds: number
  by: LimitKey
}

const MINUTE = 60

/** The six tiers of the specification, section 8. The webhook route has none of its own. */
export const TIERS = {
  auth: { limit: 10, seconds: 15 * MINUTE, by: 'ip' },
  password: { limit: 3, seconds: 60 * MINUTE, by: 'ip' },
  secondFactor: { limit: 10, seconds: 15 * MINUTE, by: 'ip' },
  refresh: { limit: 100, seconds: 15 * MINUTE, by: 'ip' },
  desktopSync: { limit: 60, seconds: MINUTE, by: 'device' },
  default: { limit: 200, seconds: MINUTE, by: 'principal' },
} as const satisfies Record<string, Tier>

export type TierName = keyof typeof TIERS

/**
 * Failed attempts on one account, wherever they come from: limits by address are no bound on somebody who has
 * many (NIST SP 800-63B, section 3.2.2, allows 100 in a row).
 */
export const ATTEMPTS = {
  password: { limit: 20, seconds: 15 * MINUTE },
  secondFactor: { limit: 10, seconds: 15 * MINUTE },
  /** Messages to one address, whoever asks for them. */
  mail: { limit: 5, seconds: 60 * MINUTE },
} as const

export type AttemptKind = keyof typeof ATTEMPTS
