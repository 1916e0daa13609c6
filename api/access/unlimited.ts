import { ADDRESS_BOUNDS } from './address-limits.ts'
import type { Limits } from './limits.ts'
import { ATTEMPTS, TIERS } from './policy.ts'

/** For RATE_LIMITS=off, to measure throughput. */
export const unlimited: Limits = {
  count: (tier) => Promise.resolve(untouched(TIERS[tier])),
  countHere: (tier) => Promise.resolve(untouched(TIERS[tier])),
  besideHolder: () => null,
  stateOf: (tier) => untouched(TIERS[tier]),
  giveBack: (_tier, _key, counted) => counted,
  countAttempt: (kind) => Promise.resolve(untouched(ATTEMPTS[kind][0])),
  forgive: () => Promise.resolve(),
  takeBack: () => Promise.resolve(),
  addresses: {
    count: (bound) => untouched(ADDRESS_BOUNDS[bound]),
    standing: (bound) => untouched(ADDRESS_BOUNDS[bound]),
    noteGood: () => {},
    forget: () => {},
    wasGood: () => false,
  },
}

const untouched = ({ limit, seconds }: { limit: number; seconds: number }) => ({
  isAllowed: true,
  limit,
  remaining: limit,
  resetSeconds: seconds,
  isFirstRefusal: false,
  isHere: false,
  isReserved: false,
})
