/** UTC instant of 24 hours before: as far back as an account is compared with its broker in any case. */
export const dayBefore = (now = Date.now()): string => new Date(now - 86_400_000).toISOString()
