import getRawBody from 'raw-body'
import type { ApiContext } from './context.ts'
import { ApiError, fault, validationError } from './errors.ts'
import { parseJsonObject, type JsonObject } from './validation/json-body.ts'

const MAX_BYTES = 64 * 1024
/** Alerting services send JSON as text/plain. */
const MEDIA_TYPES = ['application/json', 'text/plain']
const CHARSETS: readonly string[] = ['', 'utf-8', 'utf8', 'us-ascii']
/** What JSON allows around a value, and the byte order mark that some senders put first. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The JSON object that a request carries, sound in its structure; its fields are still to be checked. Throws
 * {@link ApiError} for a body of another kind, too large a one, and JSON that is malformed or hostile.
 */
export async function readJsonBody(ctx: ApiContext): Promise<JsonObject> {
  const mediaType = ctx.is(MEDIA_TYPES)
  if (mediaType === null) throw malformed('A JSON object is expected as the body')
  const isEncoded = !['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())
  if (mediaType === false || isEncoded || !CHARSETS.includes(ctx.request.charset.toLowerCase())) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
  }
  const result = parseJsonObject(decode(await readBytes(ctx)))
  if ('faults' in result) throw validationError(result.faults)
  return result.body
}

/** Whether a request carries a body at all. */
export const hasBody = (ctx: ApiContext): boolean =>
  ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length')) > 0

async function readBytes(ctx: ApiContext): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { length: ctx.get('Content-Length') || null, limit: MAX_BYTES })
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined
    if (type === 'entity.too.large') {
      // The rest of the body is not read, so the connection cannot be used again.
      throw new ApiError('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } })
    }
    if (type === 'request.aborted' || type === 'request.size.invalid') throw malformed('The body ended early')
    throw error
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('The body is not valid UTF-8')
  }
}

const malformed = (message: string): ApiError => validationError([fault([], 'invalid_json', message)])
