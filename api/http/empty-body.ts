import { z } from 'zod'
import type { Operation } from './operation.ts'

/** The body of a route that needs none: an empty object may be sent, and anything in it is a fault. */
export const EMPTY_BODY = {
  schema: z.strictObject({}),
  optional: true,
  examples: { 'no body, or an empty one': {} },
} as const satisfies Operation['body']
