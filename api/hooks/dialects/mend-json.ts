interface Mended {
  text: string
  mends: string[]
}

const TYPOGRAPHIC: ReadonlySet<string> = new Set(
  '\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\uff02',
)
const INVISIBLE_BLANKS: ReadonlySet<string> = new Set(
  '\u00a0\u00ad\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f' +
    '\u2028\u2029\u202f\u205f\u2060\u3000\ufeff',
)
const JSON_BLANKS: ReadonlySet<string> = new Set(' \t\r\n')

export const isBlank = (character: string): boolean =>
  JSON_BLANKS.has(character) || INVISIBLE_BLANKS.has(character)

const isOpeningBrace = (text: string, at: number): boolean => {
  const next = text[skipBlanks(text, at + 1)]
  return text[at] === '{' && next !== undefined && (next === '"' || next === '}' || TYPOGRAPHIC.has(next))
}

export function startOfObject(text: string): number {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1))
    if (isOpeningBrace(text, at)) return at
  return -1
}

/** Null where nothing stands around the object, or where brackets do: then it is no single object. */
export function withoutSurroundings(text: string): string | null {
  const start = startOfObject(text)
  const end = text.lastIndexOf('}') + 1
  if (start < 0 || end <= start) return null
  const [before, after] = [text.slice(0, start), text.slice(end)]
  if (/[[\]{}]/.test(before) || /[[\]{}]/.test(after)) return null
  return `${blanked(before)}${text.slice(start, end)}${blanked(after)}`
}

/** Line breaks stay, so that faults name the places of the original. */
const blanked = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Mends only what cannot change the meaning of JSON. Looks at each character a bounded number of times. */
export function mendJson(text: string): Mended {
  const mends = new Set<string>()
  let mended = ''
  let at = 0
  const take = (end: number, as: string): void => {
    mended += as
    at = end
  }
  while (at < text.length) {
    const character = text[at]!
    if (character === '"') {
      const end = endOfString(text, at)
      take(end, text.slice(at, end))
    } else if (TYPOGRAPHIC.has(character)) {
      const end = endOfTypographic(text, at)
      if (end === null) take(at + 1, character)
      else {
        mends.add('typographic quotes were read as plain ones')
        take(end, `"${text.slice(at + 1, end - 1)}"`)
      }
    } else if (character === ',' && isClosing(text[skipBlanks(text, at + 1)])) {
      mends.add('a comma before a closing bracket was left out')
      take(at + 1, ' ')
    } else if (INVISIBLE_BLANKS.has(character)) {
      mends.add('invisible characters between the fields were left out')
      take(at + 1, ' ')
    } else take(at + 1, character)
  }
  return { text: mended, mends: [...mends] }
}

const isClosing = (character: string | undefined): boolean => character === '}' || character === ']'

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text[at]!)) at += 1
  return at
}

function endOfString(text: string, quote: number): number {
  let at = quote + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return Math.min(at + 1, text.length)
}

/** Null where it is not certain that the next quote ends the text: then quotes are a part of it. */
function endOfTypographic(text: string, quote: number): number | null {
  let at = quote + 1
  // An escape does not hide a quote: else one text would be looked through for each of its quotes.
  while (at < text.length && text[at] !== '"' && text[at] !== '\n' && !TYPOGRAPHIC.has(text[at]!)) at += 1
  if (at >= text.length || !TYPOGRAPHIC.has(text[at]!)) return null
  const next = text[skipBlanks(text, at + 1)]
  return next === ':' || next === ',' || isClosing(next) ? at + 1 : null
}
