/**
 * Access tokens that each plan may hold; specification 8. A plan that holds none cannot use those that it had
 * before a downgrade either.
 */
const TOKENS_PER_PLAN = { FREE: 0, BASIC: 0, ADVANCED: 0, PRO: 10 } as const

/** How many a plan may hold. */
export const tokenCap = (plan: keyof typeof TOKENS_PER_PLAN): number => TOKENS_PER_PLAN[plan]

export const mayUseAccessTokens = (plan: keyof typeof TOKENS_PER_PLAN): boolean => tokenCap(plan) > 0
