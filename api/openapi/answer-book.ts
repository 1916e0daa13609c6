import { z } from 'zod'
import { errorBody, requestIdAnswer, type EnvelopeFamily, EXAMPLE_REQUEST_ID } from '#contract/envelopes.ts'
import { ApiError, ERRORS, fault, type ErrorCode } from '#contract/errors.ts'
import type { Route } from '../route/route.ts'
import type { JsonSchema, SchemaBook } from './json-schema.ts'
import type { Answer } from '#contract/endpoint.ts'

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

/** Every request is counted, by tier or address. */
const headersOf = (status: number): Record<string, object> => ({
  'X-Request-Id': reference('RequestId'),
  'RateLimit-Limit': reference('RateLimitLimit'),
  'RateLimit-Remaining': reference('RateLimitRemaining'),
  'RateLimit-Reset': reference('RateLimitReset'),
  ...((status === 429 || status === 503) && { 'Retry-After': reference('RetryAfter') }),
  ...((status === 401 || status === 403) && { 'WWW-Authenticate': reference('Challenge') }),
  ...(status === 405 && { Allow: reference('Allow') }),
})

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

const errorAnswer = (family: EnvelopeFamily, codes: readonly ErrorCode[]): z.ZodType =>
  codes.includes(RATE_CODE) ? rateLimitAnswer : ENVELOPES[family](codes)

const errorExample = (family: EnvelopeFamily, code: ErrorCode): object => {
  const details = code === 'VALIDATION_ERROR' ? [EXAMPLE_FAULT] : []
  const headers: Record<string, string> = code === RATE_CODE ? { 'Retry-After': '42' } : {}
  return errorBody(family, new ApiError(code, { details, headers }), EXAMPLE_REQUEST_ID)
}

const EXAMPLE_FAULT = fault(['limit'], 'custom', 'limit must be a whole number from 1 to 500')

function errorsOf({ access: policy, body, errors }: Route): ErrorCode[] {
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

export interface DescribedAnswer {
  description: string
  headers: object
  content?: Record<string, { schema: JsonSchema; examples?: object }>
}
export interface Reference {
  $ref: string
}

export class AnswerBook {
  readonly #schemas: SchemaBook
  readonly #errors: Record<string, DescribedAnswer> = {}

  constructor(schemas: SchemaBook) {
    this.#schemas = schemas
  }

  of(route: Route, family: EnvelopeFamily): Record<string, DescribedAnswer | Reference> {
    const answers: Record<string, DescribedAnswer | Reference> = {}
    const codes: Map<number, ErrorCode[]> = Map.groupBy(errorsOf(route), (code) => ERRORS[code].status)
    for (const [status, ofStatus] of codes) answers[status] = this.errors(family, ofStatus)
    for (const [status, answer] of Object.entries(route.answers)) {
      const { description, schema, examples, mediaType, otherMediaType } = answer
      const own: DescribedAnswer = { description, headers: headersOf(Number(status)) }
      if (schema) own.content = content(this.#schemas.ofAnswer(schema), examples, mediaType)
      if (schema && otherMediaType)
        Object.assign(own.content!, content(this.#schemas.ofAnswer(schema), {}, otherMediaType))
      const ofStatus = codes.get(Number(status))
      answers[status] = ofStatus ? eitherOf(own, this.#describeErrors(family, ofStatus)) : own
    }
    return answers
  }

  errors(family: EnvelopeFamily, codes: readonly ErrorCode[]): Reference {
    const name = [family, ...codes].join('.')
    this.#errors[name] ??= this.#describeErrors(family, codes)
    return { $ref: `#/components/responses/${name}` }
  }

  components(): Record<string, DescribedAnswer> {
    return this.#errors
  }

  #describeErrors(family: EnvelopeFamily, codes: readonly ErrorCode[]): DescribedAnswer {
    const examples: [string, object][] = codes.map((code) => [code, errorExample(family, code)])
    return {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
      headers: headersOf(ERRORS[codes[0]!].status),
      content: json(this.#schemas.ofAnswer(errorAnswer(family, codes)), Object.fromEntries(examples)),
    }
  }
}

function eitherOf(own: DescribedAnswer, errors: DescribedAnswer): DescribedAnswer {
  const one = own.content?.['application/json']
  const other = errors.content?.['application/json']
  if (!one || !other) throw new Error('An answer without a body and an error share a status')
  return {
    description: `${own.description}\n\n${errors.description}`,
    headers: errors.headers,
    content: {
      'application/json': {
        schema: { anyOf: [one.schema, other.schema] },
        examples: { ...one.examples, ...other.examples },
      },
    },
  }
}

export const json = (schema: JsonSchema, examples?: Readonly<Record<string, unknown>>) =>
  content(schema, examples)

const content = (
  schema: JsonSchema,
  examples: Readonly<Record<string, unknown>> = {},
  mediaType: NonNullable<Answer['mediaType' | 'otherMediaType']> | 'application/json' = 'application/json',
) => ({ [mediaType]: { schema, examples: namedExamples(examples) } })

const namedExamples = (examples: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(examples).map(([words, value]) => [
      words.replaceAll(/[^\w.-]+/g, '-'),
      { summary: words, value },
    ]),
  )
