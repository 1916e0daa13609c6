import type { Fault } from '#contract/errors.ts'
import { parseJsonObject } from '../../http/validation/json-body.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import { withoutSecretsInText } from '#contract/values/secrets.ts'
import { withoutSecrets } from '../../signals/source.ts'
import { isBlank, mendJson, startOfObject, withoutSurroundings } from './mend-json.ts'

type ReadText = { body: JsonObject; mends: string[] } | { line: string } | { faults: Fault[] }

export function readText(text: string, takesLines: boolean): ReadText {
  const line = takesLines ? lineOf(text) : null
  if (line !== null) return { line }
  const { text: json, mends } = asJson(text)
  const read = parseJsonObject(json)
  return 'faults' in read ? read : { body: read.body, mends }
}

function lineOf(text: string): string | null {
  const value = parsed(text)
  const line = trimmed(typeof value === 'string' ? value : text)
  const isMeantForJson = startOfObject(line) >= 0 || /^(?:\{(?!\{)|\[|```)/.test(line)
  return line === '' || isMeantForJson ? null : line
}

/** Text that is no JSON even when mended comes back in the form whose fault says most. */
function asJson(text: string, mayBeText = true): { text: string; mends: string[] } {
  const value = parsed(text)
  if (typeof value === 'string' && mayBeText && startOfObject(value) >= 0) {
    const inner = asJson(value, false)
    return { text: inner.text, mends: ['the object stood within a text', ...inner.mends] }
  }
  if (value !== undefined || startOfObject(text) < 0) return { text, mends: [] }
  const core = withoutSurroundings(text)
  const { text: mended, mends } = mendJson(core ?? text)
  if (core === null) return { text: mended, mends }
  const { start, end } = edges(text)
  const isAlone = startOfObject(text) === start && text.lastIndexOf('}') + 1 === end
  const around = isAlone ? [] : ['what stood around the object was left out']
  if (text.startsWith('\ufeff')) around.push('a byte order mark was left out')
  return { text: mended, mends: [...around, ...mends] }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function edges(text: string): { start: number; end: number } {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text[start]!)) start += 1
  while (end > start && isBlank(text[end - 1]!)) end -= 1
  return { start, end }
}

function trimmed(text: string): string {
  const { start, end } = edges(text)
  return text.slice(start, end)
}

/** Mended first, because what is no JSON yet hides names and values; the reader reads what is stored, so that both mean the same. */
export function safeText(text: string): { body: string; mends: string[] } {
  const value = parsed(text)
  if (typeof value === 'string') return { body: JSON.stringify(safeText(value).body), mends: [] }
  if (value !== undefined) return { body: withoutSecrets(text), mends: [] }
  const { text: mended, mends } = asJson(text)
  if (parsed(mended) === undefined) return { body: withoutSecretsInText(text, 'message'), mends: [] }
  return { body: withoutSecrets(mended), mends }
}
