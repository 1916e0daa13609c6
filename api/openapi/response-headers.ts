const wholeNumber = { type: 'integer', minimum: 0 }

export const SHARED_HEADERS = {
  RequestId: {
    description: 'The id of this request, for support; the same as `requestId` in bodies',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimitLimit: { description: 'Requests in a window', schema: wholeNumber },
  RateLimitRemaining: { description: 'Requests left in this window', schema: wholeNumber },
  RateLimitReset: { description: 'Seconds until this window ends', schema: wholeNumber },
  RetryAfter: { description: 'Seconds to wait before the request is sent again', schema: wholeNumber },
  Challenge: { description: 'Which credential is wanted, and what it lacks', schema: { type: 'string' } },
  Allow: { description: 'The methods that this address takes', schema: { type: 'string' } },
} as const

const reference = (name: keyof typeof SHARED_HEADERS) => ({ $ref: `#/components/headers/${name}` })

/** Every request is counted, by a tier or by address. */
export const headersOf = (status: number): Record<string, object> => ({
  'X-Request-Id': reference('RequestId'),
  'RateLimit-Limit': reference('RateLimitLimit'),
  'RateLimit-Remaining': reference('RateLimitRemaining'),
  'RateLimit-Reset': reference('RateLimitReset'),
  ...((status === 429 || status === 503) && { 'Retry-After': reference('RetryAfter') }),
  ...((status === 401 || status === 403) && { 'WWW-Authenticate': reference('Challenge') }),
  ...(status === 405 && { Allow: reference('Allow') }),
})
