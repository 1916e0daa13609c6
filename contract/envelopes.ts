import { z } from 'zod'
import type { ApiError } from './errors.ts'

/** POST /signals and hooks; orders, accounts and positions; everything else. */
export type EnvelopeFamily = 'signal-creation' | 'bare' | 'standard'

const SIGNALS_ADDRESS = '/api/v1/signals'
export const HOOK_ADDRESSES = '/hooks/'
const BARE = /^\/api\/v1\/(orders|accounts|positions)(\/|$)/
const ALWAYS_STANDARD: readonly string[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED']

export function envelopeFamilyOf(method: string, path: string): EnvelopeFamily {
  if (method === 'POST' && (path === SIGNALS_ADDRESS || path.startsWith(HOOK_ADDRESSES)))
    return 'signal-creation'
  return BARE.test(path) ? 'bare' : 'standard'
}

export const standardSuccess = <T>(data: T, requestId: string): { data: T; requestId: string } => ({
  data,
  requestId,
})

export const requestIdAnswer = z.uuid().describe('What support and the log know the request by')

export const standardAnswer = <T extends z.ZodType>(data: T) =>
  z.strictObject({ data, requestId: requestIdAnswer })

export function errorBody(family: EnvelopeFamily, error: ApiError, requestId: string): object {
  // Every family answers 429 alike (specification, section 8).
  if (error.status === 429) {
    const retryAfter = Number(error.headers['Retry-After'])
    return { error: 'rate_limited', message: error.message, code: error.code, retryAfter, requestId }
  }
  if (family === 'signal-creation') {
    return { success: false, error: error.message, code: error.code, details: error.details, requestId }
  }
  if (family === 'bare' && !ALWAYS_STANDARD.includes(error.code)) {
    const details = error.details.length > 0 && { details: error.details }
    return { error: error.code, message: error.message, ...details, requestId }
  }
  return { error: error.message, code: error.code, details: error.details, requestId }
}

export const workflowAnswer = z
  .strictObject({
    id: z.string(),
    url: z
      .url()
      .nullable()
      .describe(
        'Its page in Temporal’s UI: for administrators in person, where the operator has named the UI',
      ),
  })
  .meta({ id: 'Workflow' })

export type WorkflowAnswer = z.output<typeof workflowAnswer>

export const EXAMPLE_REQUEST_ID = '3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d'

export const exampleAnswer = <T>(data: T) => standardSuccess(data, EXAMPLE_REQUEST_ID)

export const examplePaging = (rows: number) => ({
  total: rows,
  totalIsExact: true,
  limit: 50,
  offset: 0,
  nextCursor: null,
})

export const EXAMPLE_ACCOUNT_ID = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
