import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/** 405 with the methods of the address, or 404. */
export const unmatched: ApiMiddleware = (ctx) => {
  const layers = (ctx as ApiContext).matched ?? []
  const methods = [...new Set(layers.flatMap((layer) => layer.methods))].toSorted()
  if (methods.length === 0) throw new ApiError('NOT_FOUND')
  throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
}
