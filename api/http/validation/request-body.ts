import type { z } from 'zod'
import type { ApiContext } from '../context.ts'
import { validationError } from '../errors.ts'
import { hasBody, readJsonBody } from '../body.ts'
import { readFields } from './fields.ts'
import type { JsonObject } from './json-body.ts'

/** The body of a request, read by its fields. Throws {@link ApiError} naming every fault. */
export async function readBody<S extends z.ZodRawShape>(
  ctx: ApiContext,
  shape: S,
): Promise<z.output<z.ZodObject<S>>> {
  return validFields(ctx, shape, await readJsonBody(ctx))
}

/** Like {@link readBody}; a request without a body is read as an empty object. */
export async function readOptionalBody<S extends z.ZodRawShape>(
  ctx: ApiContext,
  shape: S,
): Promise<z.output<z.ZodObject<S>>> {
  return validFields(ctx, shape, hasBody(ctx) ? await readJsonBody(ctx) : {})
}

function validFields<S extends z.ZodRawShape>(
  { method }: ApiContext,
  shape: S,
  body: JsonObject,
): z.output<z.ZodObject<S>> {
  const { values, faults } = readFields(shape, body, method !== 'PATCH')
  if (faults.length > 0) throw validationError(faults)
  return values as z.output<z.ZodObject<S>>
}
