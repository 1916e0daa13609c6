import { fault, type Fault } from '../errors.ts'

export const DEEPEST = 20
export const MOST_FIELDS = 200
export const MOST_VALUES = 2_000

const codeOf = (mark: string): number => mark.charCodeAt(0)
const [QUOTE, ESCAPE, COMMA, COLON] = [codeOf('"'), codeOf('\\'), codeOf(','), codeOf(':')]
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [codeOf('{'), codeOf('}'), codeOf('['), codeOf(']')]

/** Counts before any parsing, also in text that is no JSON. */
export function boundsFault(text: string): Fault | null {
  const fields: number[] = []
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN:
      case OPEN_LIST:
        values += 1
        if (fields.push(0) > DEEPEST)
          return fault([], 'too_deep', `The body is nested deeper than ${DEEPEST} levels`)
        break
      case CLOSE:
      case CLOSE_LIST:
        fields.pop()
        break
      case COLON:
        if (fields.length > 0 && ++fields[fields.length - 1]! > MOST_FIELDS)
          return fault(
            [],
            'too_many_fields',
            `An object of the body has more than ${MOST_FIELDS} fields: send those that are needed`,
          )
        break
      case COMMA:
        values += 1
    }
    if (values > MOST_VALUES)
      return fault(
        [],
        'too_many_values',
        `The body has more than ${MOST_VALUES} values: send those that are needed`,
      )
  }
  return null
}

function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === ESCAPE) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}
