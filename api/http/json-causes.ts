import { printParseErrorCode, type ParseErrorCode } from 'jsonc-parser'

interface Halt {
  error: string
  rest: string
  before: string
  beforeThat: string
  isAtEnd: boolean
}

const INVISIBLE = /^[\u00a0\u00ad\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/
const WORD_START = /^[A-Za-z_$]/
const NUMBER_PIECE = /^[-+.\d]/

const BEFORE_JSON = 'something comes before the JSON, or the body is none: it has to begin with {'

/** Most certain first; messages repeat none of the text. */
const CAUSES: readonly [(halt: Halt) => boolean, string][] = [
  [
    ({ rest }) => /^(?:\{\{|\$\{|\{%|<%)/.test(rest),
    'a placeholder here has no quotes, or was not filled in: put double quotes around it',
  ],
  [({ rest, before }) => before === '' && rest.startsWith('```'), BEFORE_JSON],
  [
    ({ rest }) => /^[-+]?(?:NaN|Infinity|nan|inf)\b/.test(rest),
    'NaN and Infinity are no values of JSON: the sender had no number here. Leave the field out, or put a placeholder into double quotes',
  ],
  [
    ({ rest }) => /^(?:undefined|None|nil|na|Null|NULL)\b/.test(rest),
    'the sender had no value here, and its word for that is none of JSON: leave the field out, or write null',
  ],
  [({ rest }) => /^(?:True|False|TRUE|FALSE)\b/.test(rest), 'write true and false in small letters'],
  [
    ({ rest }) =>
      /^[\u2018-\u201f\u2039\u203a\u00ab\u00bb\u2032\u2033\u300c\u300d\uff02\uff07`\u00b4]/.test(rest),
    'a typographic quote: JSON takes the plain double quote (") alone, and texts that are copied from pages or e-mails often have others',
  ],
  [({ rest }) => rest.startsWith("'"), 'a single quote: JSON takes double quotes (") alone'],
  [
    ({ error, rest }) => error === 'InvalidCommentToken' || /^(?:\/[/*]|#|<!--)/.test(rest),
    'a comment: JSON has none',
  ],
  [
    ({ rest }) => INVISIBLE.test(rest),
    'an invisible character, such as a byte order mark or a blank that does not break: type this place again',
  ],
  [
    ({ error, isAtEnd }) => error === 'UnexpectedEndOfString' && isAtEnd,
    'the text that begins here does not end: the body was cut off, or a double quote is missing',
  ],
  [
    ({ error }) => error === 'UnexpectedEndOfString',
    'the text that begins here has a line break in it, or its closing double quote is missing: write a line break as \\n',
  ],
  [
    ({ error }) => error === 'InvalidCharacter',
    'the text that begins here has a tab or another control character in it: write a tab as \\t',
  ],
  [
    ({ error }) => error === 'InvalidEscapeCharacter' || error === 'InvalidUnicode',
    'the text that begins here has a backslash that begins no escape of JSON: write a backslash as \\\\',
  ],
  [
    ({ rest, before }) => rest === '' && before === '',
    'the body is empty: send a JSON object such as {"symbol":"AAPL"}',
  ],
  [({ rest }) => rest === '', 'the body ends too early: it was cut off, or a closing bracket is missing'],
  [
    ({ rest, before }) => /^[}\]]/.test(rest) && before === ',',
    'a comma before a closing bracket: take the comma away',
  ],
  [
    ({ rest, before }) => /^[,}\]]/.test(rest) && before === ':',
    'a value is missing: the sender had none here. Leave the field out, or write null',
  ],
  [({ rest, before }) => rest.startsWith(',') && /[,{[]/.test(before), 'a comma too many: take it away'],
  [
    ({ error }) => error === 'EndOfFileExpected',
    'something comes after the end of the JSON: send the object alone',
  ],
  [({ before, rest }) => before === '' && !/^[{["\d-]/.test(rest), BEFORE_JSON],
  [
    ({ before, rest }) => /[}\]]/.test(before) && !/^["{[]/.test(rest),
    'something comes after a closing bracket: send the object alone, or put a comma between its fields',
  ],
  [
    ({ before, beforeThat, rest }) => before === ',' && /\d/.test(beforeThat) && /^\d/.test(rest),
    'a comma within a number: write 1000.5 for one thousand and a half',
  ],
  [
    ({ error, before, rest }) =>
      error === 'InvalidNumberFormat' ||
      error === 'UnexpectedEndOfNumber' ||
      (NUMBER_PIECE.test(rest) && /[-\d:[,]/.test(before)) ||
      (WORD_START.test(rest) && /\d/.test(before)),
    'a number that JSON does not allow: write it as 0.5, without + and leading zeros',
  ],
  [
    ({ error, before, rest }) => before === '"' && error === 'InvalidSymbol' && !rest.startsWith('='),
    'a double quote within a text ends it: write \\" there',
  ],
  [
    ({ before, rest }) => WORD_START.test(rest) && /[{,]/.test(before),
    'the name of a field has no double quotes, or a text has a double quote in it: write \\" there',
  ],
  [({ rest }) => WORD_START.test(rest), 'a text has no double quotes'],
  [
    ({ error }) => error === 'CommaExpected',
    'a comma is missing before this, or the text before it has a double quote in it: write \\" there',
  ],
  [
    ({ error }) => error === 'ColonExpected',
    'a colon is missing after the name of a field, or a text before has a double quote in it: write \\" there',
  ],
]

export function causeAt(text: string, code: ParseErrorCode, offset: number, length: number): string {
  const lead = text.slice(0, offset).trimEnd()
  const before = lead.at(-1) ?? ''
  const halt = {
    error: printParseErrorCode(code),
    rest: text.slice(offset),
    before,
    beforeThat: lead.slice(0, -1).trimEnd().at(-1) ?? '',
    isAtEnd: text.slice(offset + length).trim() === '',
  }
  return CAUSES.find(([fits]) => fits(halt))?.[1] ?? 'this is not allowed here'
}
