import type { Next } from 'koa'
import getRawBody from 'raw-body'
import { z } from 'zod'
import { reject } from '../rejection.ts'
import type { VenueContext } from './context.ts'

const MAX_BODY = '64kb'

export async function readJsonBody(ctx: VenueContext, next: Next): Promise<void> {
  const text = await getRawBody(ctx.req, { limit: MAX_BODY, encoding: 'utf-8' }).catch((error: unknown) => {
    throw isTooLarge(error) ? reject.bodyTooLarge() : error
  })
  try {
    ctx.state.body = text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw reject.malformedBody()
    throw error
  }
  await next()
}

export const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is not a time')
  .transform((text) => Date.parse(text))

/** Throws a Rejection with every fault in one line. */
export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  )
  throw reject.invalidParameter(faults.join('; '))
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'entity.too.large'
