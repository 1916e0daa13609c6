import { visit, type JSONVisitor } from 'jsonc-parser'
import { withoutTokens } from '#contract/values/secrets.ts'
import { fault, type Fault, MAX_FAULTS_FOUND, ApiError, validationError } from '#contract/errors.ts'
import { causeAt } from './json-causes.ts'
import { holdsAccessToken } from './access-token.ts'
import { boundsFault, DEEPEST } from '#contract/values/json-bounds.ts'
import { type JsonObject, readFields } from '#contract/values/fields.ts'
import getRawBody from 'raw-body'
import type { ApiContext } from './context.ts'

const MAX_NAMED = 20
const MAX_KEY_SHOWN = 100

class Enough extends Error {}
class TooDeep extends Error {}

/** Repeats none of the text: it may hold a secret. */
function jsonFault(text: string, deepest: number): Fault {
  let found = ''
  const isWhole = lookThrough(text, deepest, {
    onError: (code, offset, length, line, character) => {
      // The first of two braces parses as an object.
      const back = text[offset - 1] === '{' && /[{%]/.test(text[offset] ?? '') ? 1 : 0
      const cause = causeAt(text, code, offset - back, length + back)
      found = `: line ${line + 1}, column ${character + 1 - back}: ${cause}`
      throw new Enough()
    },
  })
  if (!isWhole) found = `, and is nested deeper than ${deepest} levels`
  return fault([], 'invalid_json', `The body is not valid JSON${found}`)
}

/** `JSON.parse` takes the last value, the sender may mean the first. */
function repeatedKeys(text: string, deepest: number): Fault[] {
  const open: Set<string>[] = []
  const faults: Fault[] = []
  lookThrough(text, deepest, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, ...[, , line, character, pathOf]) => {
      const keys = open.at(-1)!
      if (keys.has(key)) {
        const shown = withoutTokens(key).slice(0, MAX_KEY_SHOWN)
        faults.push(
          fault(
            [...pathOf(), shown],
            'repeated_key',
            `${JSON.stringify(shown)} is there twice, again in line ${line + 1}, column ${character + 1}: send each field once`,
          ),
        )
      }
      if (faults.length >= MAX_NAMED) throw new Enough()
      keys.add(key)
    },
  })
  return faults
}

/** Strict JSON. False where nested deeper than `deepest`. */
function lookThrough(text: string, deepest: number, visitor: JSONVisitor): boolean {
  let depth = 0
  const down = (): void => {
    if (++depth > deepest) throw new TooDeep()
  }
  const up = (): void => void (depth -= 1)
  const { onObjectBegin = () => {}, onObjectEnd = () => {} } = visitor
  const bounded: JSONVisitor = {
    ...visitor,
    onObjectBegin: (...at) => {
      down()
      onObjectBegin(...at)
    },
    onObjectEnd: (...at) => {
      up()
      onObjectEnd(...at)
    },
    onArrayBegin: down,
    onArrayEnd: up,
  }
  try {
    visit(text, bounded, { disallowComments: true })
  } catch (error) {
    if (error instanceof TooDeep) return false
    if (!(error instanceof Enough)) throw error
  }
  return true
}

/** As own keys these switch prototypes on assignment. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Denies our tokens, which would be stored and shown. */
export function parseJsonObject(text: string): { body: JsonObject } | { faults: Fault[] } {
  const beyond = boundsFault(text)
  if (beyond) return { faults: [beyond] }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { faults: [jsonFault(text, DEEPEST)] }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { faults: [fault([], 'invalid_type', `The body must be a JSON object${insteadOfObject(value)}`)] }
  }
  const faults = repeatedKeys(text, DEEPEST)
  for (const each of structureFaults(value, [])) if (faults.push(each) >= MAX_FAULTS_FOUND) break
  return faults.length > 0 ? { faults } : { body: value as JsonObject }
}

function insteadOfObject(value: unknown): string {
  if (Array.isArray(value)) return ', and is a list: send each object of it by itself'
  const isJsonInText = typeof value === 'string' && value.trimStart().startsWith('{')
  return isJsonInText
    ? ', and is a text with JSON in it: send the object itself, without quotes around it'
    : ''
}

function* structureFaults(value: object, path: (string | number)[]): Generator<Fault> {
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const step = Array.isArray(value) ? Number(key) : key
    if (FORBIDDEN_KEYS.has(key)) {
      yield fault([...path, step], 'forbidden_key', `${JSON.stringify(key)} cannot be the name of a field`)
    } else if (holdsAccessToken(key)) {
      yield leakedToken(path, 'The name of a field')
    } else if (!key.isWellFormed() || key.includes('\0')) {
      yield fault(
        path,
        'unstorable_key',
        'The name of a field holds a NUL or half a surrogate pair, which cannot be stored: name it otherwise',
      )
    } else if (typeof inner === 'string') {
      if (holdsAccessToken(inner)) yield leakedToken([...path, step], [...path, step].join('.'))
    } else if (typeof inner === 'object' && inner !== null) {
      yield* structureFaults(inner, [...path, step])
    }
  }
}

const leakedToken = (path: (string | number)[], place: string): Fault =>
  fault(
    path,
    'leaked_token',
    `${place} holds an access token of this service: send it in the header alone, and revoke this one, because every reader of the body knows it`,
  )

const MAX_BODY_BYTES = 64 * 1024
const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'
const TEXT_TAKEN = 'Send a JSON object as application/json or text/plain, in UTF-8 and uncompressed'
const CHARSETS: readonly string[] = ['', 'utf-8', 'utf8', 'us-ascii']
const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readJsonBody(ctx: ApiContext): Promise<JsonObject> {
  return readJsonDocument(await jsonBytesOf(ctx)).body
}

/** Any foreign page can send text/plain. */
interface JsonTaken {
  isTextTaken?: boolean | undefined
}

/** Throws {@link ApiError} for another media type or an oversized body. */
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

/** Replaces invalid UTF-8, and NUL, which no column takes. Throws {@link ApiError}. */
export async function readText(ctx: ApiContext): Promise<string> {
  if (!['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase()))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the message uncompressed' })
  const text = new TextDecoder().decode(await bytesOf(ctx))
  return text.replaceAll('\0', '\ufffd')
}

export const bytesOf = (ctx: ApiContext): Promise<Buffer> => (ctx.state.bytes ??= readBytes(ctx))

/** An empty object passes: some clients always send it. Throws VALIDATION_ERROR. */
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

/** Node drops unread bytes when the sender hangs up. */
export function keepBody(ctx: ApiContext): void {
  if (!hasBody(ctx) || ctx.state.bytes) return
  ctx.state.bytes = readBytes(ctx)
  // A denied request has no reader.
  ctx.state.bytes.catch(() => {})
}

async function readBytes(ctx: ApiContext): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { length: ctx.get('Content-Length') || null, limit: MAX_BODY_BYTES })
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined
    if (type === 'entity.too.large') {
      // The unread rest makes the connection unusable.
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
