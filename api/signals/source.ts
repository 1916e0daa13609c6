import { isSecretName, NOTES, REDACTED, withoutSecretsInText, type Place } from '#contract/values/secrets.ts'

const MOST_BLANKS = 256
/** The greatest of the characters that JSON takes as blanks; smaller ones stand nowhere else outside of strings. */
const SPACE = 0x20
const SHORTEST_NAME = 'pw'.length
const SHORTEST_TEXT = 'pw=1'.length
const HARMLESS: ReadonlySet<string> = new Set(['null', 'true', 'false'])

const BEFORE_VALUE = /[ \t\n\r]*:[ \t\n\r]*/y
const PLAIN_VALUE = /[^,\]} \t\n\r]*/y

/**
 * Senders put credentials into bodies that need none. Values of fields whose names say so are left out, null and truth values
 * apart, and so is what is a secret within a text, also in names; escapes hide neither. Everything else stays to the letter, but
 * for blanks beyond 256 in a row.
 * Looks at each character a bounded number of times: everybody waits meanwhile. `text` is JSON that has been read without a fault.
 */
export function withoutSecrets(text: string): string {
  let kept = ''
  let copied = 0
  const replace = (start: number, end: number, by: string): void => {
    kept += text.slice(copied, start) + by
    copied = end
  }
  const dropPadding = (start: number, end: number): void => {
    if (end - start <= MOST_BLANKS) return
    for (let at = start, blanks = 0; at <= end; at++) {
      if (at < end && text.charCodeAt(at) <= SPACE) blanks += 1
      else {
        if (blanks > MOST_BLANKS) replace(at - blanks + MOST_BLANKS, at, '')
        blanks = 0
      }
    }
  }
  let over = 0
  let endOfNotes = 0
  const known = { message: new Map<string, boolean>(), notes: new Map<string, boolean>() }
  const isSecret = (name: string, place: Place): boolean => {
    const answer = known[place].get(name) ?? isSecretName(name, place)
    known[place].set(name, answer)
    return answer
  }
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', over)) {
    dropPadding(over, quote)
    const end = endOfString(text, quote)
    over = end
    const value = endOf(BEFORE_VALUE, text, end)
    const isName = value > end
    // Shorter texts hold neither a secret nor the name of one.
    if (end - quote > (isName ? SHORTEST_NAME : SHORTEST_TEXT)) {
      const place = quote < endOfNotes ? 'notes' : 'message'
      const { safe, meaning } = readString(text.slice(quote, end), place)
      if (safe !== null) replace(quote, end, safe)
      if (isName && meaning === NOTES && place === 'message') endOfNotes = endOfValue(text, value)
      if (isName && isSecret(meaning, place)) {
        over = endOfValue(text, value)
        dropPadding(end, value)
        if (!HARMLESS.has(text.slice(value, over))) replace(value, over, JSON.stringify(REDACTED))
      }
    }
  }
  dropPadding(over, text.length)
  return kept + text.slice(copied)
}

/** `safe` is null where the string may stay as it is written. */
function readString(written: string, place: Place): { safe: string | null; meaning: string } {
  const isEscaped = written.includes('\\')
  const meaning = isEscaped ? (JSON.parse(written) as string) : written.slice(1, -1)
  const safe = withoutSecretsInText(meaning, place)
  return { safe: safe === meaning ? null : JSON.stringify(safe), meaning }
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start)
  if (text[start] !== '{' && text[start] !== '[') return endOf(PLAIN_VALUE, text, start)
  let open = 0
  for (let at = start; at < text.length;) {
    const character = text[at]
    if (character === '{' || character === '[') open += 1
    if (character === '}' || character === ']') open -= 1
    at = character === '"' ? endOfString(text, at) : at + 1
    if (open === 0) return at
  }
  return text.length
}

function endOfString(text: string, quote: number): number {
  let at = quote + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** `start` where the sticky pattern does not match. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}
