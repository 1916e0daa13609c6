import { holdsAccessToken } from '../access-token.ts'
import { fault, MAX_FAULTS_FOUND, type Fault } from '#contract/errors.ts'
import { boundsFault, DEEPEST } from '#contract/values/json-bounds.ts'
import { jsonFault, repeatedKeys } from './json-text.ts'
import type { JsonObject } from '#contract/values/fields.ts'

/** As own keys these switch an object's prototype when it is copied by assignment. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** No route takes a token of ours in a body, where it would be stored and shown: such a body is refused. */
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
    `${place} holds an access token of this service: send it in the header alone, and revoke this one, because whoever has read the body knows it`,
  )
