import { z } from 'zod'
import { errorBody, requestIdAnswer, type EnvelopeFamily } from '#contract/envelopes.ts'
import { ApiError, ERRORS, fault, type ErrorCode } from '#contract/errors.ts'
import { EXAMPLE_REQUEST_ID } from '#contract/examples.ts'
import type { Route } from '../route/route.ts'

const faultAnswer = z
  .strictObject({
    code: z.string().describe('Stable, for programs; such as `required`'),
    message: z.string().describe('For people, readable by itself'),
    path: z
      .array(z.union([z.string(), z.number()]))
      .describe('Where it is, from the top of the body or query'),
    field: z.string().describe('The path as one word, such as `metadata.note`'),
  })
  .meta({ id: 'Fault' })

const codeOf = (codes: readonly ErrorCode[]) => z.enum(codes)

const ENVELOPES = {
  standard: (codes) =>
    z.strictObject({
      error: z.string().describe('For people'),
      code: codeOf(codes),
      details: z.array(faultAnswer),
      requestId: requestIdAnswer,
    }),
  'signal-creation': (codes) =>
    z.strictObject({
      success: z.literal(false),
      error: z.string().describe('For people'),
      code: codeOf(codes),
      details: z.array(faultAnswer),
      requestId: requestIdAnswer,
    }),
  bare: (codes) =>
    z.strictObject({
      error: codeOf(codes),
      message: z.string().describe('For people'),
      details: z.array(faultAnswer).optional(),
      requestId: requestIdAnswer,
    }),
} as const satisfies Record<EnvelopeFamily, (codes: readonly ErrorCode[]) => z.ZodType>

const RATE_CODE = 'RATE_LIMIT_EXCEEDED'
const rateLimitAnswer = z
  .strictObject({
    error: z.literal('rate_limited'),
    message: z.string(),
    code: z.literal(RATE_CODE),
    retryAfter: z.int().describe('Seconds to wait'),
    requestId: requestIdAnswer,
  })
  .meta({ id: 'RateLimited' })

export const errorAnswer = (family: EnvelopeFamily, codes: readonly ErrorCode[]): z.ZodType =>
  codes.includes(RATE_CODE) ? rateLimitAnswer : ENVELOPES[family](codes)

export const errorExample = (family: EnvelopeFamily, code: ErrorCode): object => {
  const details = code === 'VALIDATION_ERROR' ? [EXAMPLE_FAULT] : []
  const headers: Record<string, string> = code === RATE_CODE ? { 'Retry-After': '42' } : {}
  return errorBody(family, new ApiError(code, { details, headers }), EXAMPLE_REQUEST_ID)
}

const EXAMPLE_FAULT = fault(['limit'], 'custom', 'limit must be a whole number from 1 to 500')

export function errorsOf({ access: policy, body, errors }: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...errors,
    'ORIGIN_REFUSED',
    'VALIDATION_ERROR',
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
  ])
  if (body) codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  if (policy?.tier) codes.add('DATABASE_UNAVAILABLE')
  if (policy) {
    if (policy.work !== null) codes.add('TOO_MANY_AT_ONCE')
    if (policy.work === 'broker') codes.add('TOO_BUSY')
    if (policy.credentials.length > 0)
      codes.add('UNAUTHENTICATED').add('INVALID_API_KEY').add('INSUFFICIENT_SCOPES')
    if (policy.credentials.includes('access') && policy.bounds !== 'reading')
      codes.add('TOKEN_BOUNDS_EXCEEDED')
    if (policy.keyInQuery) codes.add('VALIDATION_ERROR')
    if (policy.fresh) codes.add('VERIFICATION_REQUIRED')
    if (policy.admin) codes.add('SECOND_FACTOR_REQUIRED')
  }
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code))
}
