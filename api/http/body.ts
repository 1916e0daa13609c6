import getRawBody from 'raw-body'
import type { ApiContext } from './context.ts'
import { ApiError, fault, validationError } from '#contract/errors.ts'
import { readFields, type JsonObject } from '#contract/values/fields.ts'
import { parseJsonObject } from './validation/json-body.ts'

const MAX_BODY_BYTES = 64 * 1024
const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'
const TEXT_TAKEN = 'Send a JSON object as application/json or text/plain, in UTF-8 and uncompressed'
const CHARSETS: readonly string[] = ['', 'utf-8', 'utf8', 'us-ascii']
const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readJsonBody(ctx: ApiContext): Promise<JsonObject> {
  return readJsonDocument(await jsonBytesOf(ctx)).body
}

/** JSON may come as text/plain, which a form of any page elsewhere can send. */
interface JsonTaken {
  isTextTaken?: boolean | undefined
}

/** Throws {@link ApiError} for another media type, and a body that is too large. */
export async function jsonBytesOf(ctx: ApiContext, { isTextTaken = false }: JsonTaken = {}): Promise<Buffer> {
  const mediaType = ctx.is(isTextTaken ? [JSON_TYPE, TEXT_TYPE] : [JSON_TYPE])
  if (mediaType === null) throw malformed('A JSON object is expected as the body')
  const isEncoded = !['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())
  if (mediaType === false || isEncoded || !CHARSETS.includes(ctx.request.charset.toLowerCase())) {
    const message = isTextTaken ? TEXT_TAKEN : undefined
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message === undefined ? {} : { message })
  }
  return bytesOf(ctx)
}

export function readJsonDocument(bytes: Buffer): { body: JsonObject; text: string } {
  const text = decode(bytes)
  const result = parseJsonObject(text)
  if ('faults' in result) throw validationError(result.faults)
  return { body: result.body, text }
}

/** Of any type; invalid UTF-8 is replaced, and NUL, which no column takes. Throws {@link ApiError}. */
export async function readText(ctx: ApiContext): Promise<string> {
  if (!['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase()))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the message uncompressed' })
  const text = new TextDecoder().decode(await bytesOf(ctx))
  return text.replaceAll('\0', '\ufffd')
}

export const bytesOf = (ctx: ApiContext): Promise<Buffer> => (ctx.state.bytes ??= readBytes(ctx))

/** An empty object passes: some clients send it with every POST. Throws VALIDATION_ERROR. */
export async function refuseBody(ctx: ApiContext): Promise<undefined> {
  if (!hasBody(ctx)) return undefined
  const body = await readJsonBody(ctx).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code === 'VALIDATION_ERROR') throw error
    throw new ApiError('VALIDATION_ERROR', {
      details: [fault([], 'unexpected_body', 'This route takes no body, or an empty JSON object')],
      headers: error.headers,
      cause: error,
    })
  })
  const faults = readFields({}, body).faults
  if (faults.length > 0) throw validationError(faults)
  return undefined
}

export const hasBody = (ctx: ApiContext): boolean =>
  ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length')) > 0

/** Begins to read the body before anything waits: Node drops unread bytes when the sender hangs up. */
export function keepBody(ctx: ApiContext): void {
  if (!hasBody(ctx) || ctx.state.bytes) return
  ctx.state.bytes = readBytes(ctx)
  // The reader of the body is told of its faults; the body of a refused request has no reader.
  ctx.state.bytes.catch(() => {})
}

async function readBytes(ctx: ApiContext): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { length: ctx.get('Content-Length') || null, limit: MAX_BODY_BYTES })
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined
    if (type === 'entity.too.large') {
      // The rest of the body is not read, so the connection cannot be used again.
      throw new ApiError('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } })
    }
    const hasHungUp = type === 'request.aborted' || (type === 'stream.not.readable' && ctx.req.destroyed)
    if (hasHungUp || type === 'request.size.invalid') throw malformed('The body ended early')
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
