import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

interface RequestRateState {
  isExceeded: boolean
  headers: Record<string, string>
}

export type RequestRate = (keyId: string) => Promise<RequestRateState | null>

/** Requests as Alpaca (200 a minute); null: no limit. */
export function requestRate(perMinute: number | null): RequestRate {
  if (perMinute === null) return () => Promise.resolve(null)
  const minute = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return async (keyId) => {
    try {
      return stateOf(perMinute, await minute.consume(keyId), false)
    } catch (error) {
      if (error instanceof RateLimiterRes) return stateOf(perMinute, error, true)
      throw error
    }
  }
}

const stateOf = (limit: number, result: RateLimiterRes, isExceeded: boolean): RequestRateState => ({
  isExceeded,
  headers: {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(result.remainingPoints),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + result.msBeforeNext) / 1_000)),
  },
})
