import type { z } from 'zod'
import type { ApiContext } from '../context.ts'
import { validationError } from '../errors.ts'
import { readJsonBody } from '../guards/body.ts'
import { readFields } from './fields.ts'

/** The body of a request, read by its fields. Throws {@link ApiError} naming every fault. */
export async function readBody<S extends z.ZodRawShape>(
  ctx: ApiContext,
  shape: S,
): Promise<z.output<z.ZodObject<S>>> {
  const { values, faults } = readFields(shape, await readJsonBody(ctx))
  if (faults.length > 0) throw validationError(faults)
  return values as z.output<z.ZodObject<S>>
}
