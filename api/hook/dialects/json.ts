import { compare, isDecimal } from '#domain/money/decimal.ts'
import type { TradeInstruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import { ACTIONS, isOpening, type Action } from '#domain/signal/signal.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import type { Dialect, Reading } from './dialect.ts'
import { FIELDS_OF_ALERT_NAMES, alertNameOf } from './identity.ts'
import { isSecretName } from '#contract/values/secrets.ts'
import { folded, type SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { exitBeside } from './trade-instruction.ts'

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

/** Null without surrounding text, or with brackets in it. */
export function withoutSurroundings(text: string): string | null {
  const start = startOfObject(text)
  const end = text.lastIndexOf('}') + 1
  if (start < 0 || end <= start) return null
  const [before, after] = [text.slice(0, start), text.slice(end)]
  if (/[[\]{}]/.test(before) || /[[\]{}]/.test(after)) return null
  return `${blanked(before)}${text.slice(start, end)}${blanked(after)}`
}

/** Line breaks stay: faults name original places. */
const blanked = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Repairs only faults that cannot change the meaning, in linear time. */
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

/** Null where the next quote may be a part of the text. */
function endOfTypographic(text: string, quote: number): number | null {
  let at = quote + 1
  // An escape hides no quote: scanning stays linear.
  while (at < text.length && text[at] !== '"' && text[at] !== '\n' && !TYPOGRAPHIC.has(text[at]!)) at += 1
  if (at >= text.length || !TYPOGRAPHIC.has(text[at]!)) return null
  const next = text[skipBlanks(text, at + 1)]
  return next === ':' || next === ',' || isClosing(next) ? at + 1 : null
}

export const json: Dialect = { isNested: false, read, readLine: null }

const OF_THE_HOOK: ReadonlySet<string> = new Set(['dryRun', 'timenow', 'time'])

function read(fields: SenderFields, settings: HookSettings, given: JsonObject): Reading | null {
  fields.know(...Object.keys(given).map(folded))
  const isTest = fields.flag(fields.optional('dryrun')) ?? false
  const name = alertNameOf(fields, fields.pick(...FIELDS_OF_ALERT_NAMES))
  const symbolGiven = fields.pick('symbol')
  const symbol = symbolOf(fields, symbolGiven, settings)
  if (fields.lacks('symbol')) fields.fault('symbol', 'required', 'symbol is required')
  const body = Object.fromEntries(
    Object.entries(given).filter(([field]) => !OF_THE_HOOK.has(field) && !isSecretName(field)),
  )
  if (given['action'] === 'protect') {
    const { protection } = given
    if (typeof protection !== 'object' || protection === null || Array.isArray(protection))
      fields.fault('protection', 'required', 'protect needs protection: {"stop": {"percent": 5}}')
    if (fields.faults.length > 0 || symbol === null) return null
    return { instructions: [{ kind: 'protect', symbol, plan: protection as JsonObject }], name, isTest }
  }
  const trade = { kind: 'trade' as const, body, move: null, senderHolds: null, delaySeconds: null, names: {} }
  body['symbol'] = symbol
  if (body['quantity'] === '')
    fields.fault(
      'quantity',
      'no_value',
      'quantity is empty: its sender had no value there. Leave the field out, or mend the sender',
    )
  const whole = withDefaults(fields, trade, settings)
  return fields.faults.length > 0 ? null : { instructions: [whole], name, isTest }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

function withDefaults(
  fields: SenderFields,
  trade: TradeInstruction,
  settings: HookSettings,
): TradeInstruction {
  const { body } = trade
  const target = body['targetPosition']
  const action = ACTIONS.find((each) => each === body['action'])
  const isTarget = !isAbsent(target)
  const sign = isTarget && isDecimal(target) ? compare(String(target) as `${number}`, '0') : null
  if (isTarget) {
    body['action'] ??= sign === null || sign > 0 ? 'openLong' : sign < 0 ? 'openShort' : 'closeLong'
    if (isAbsent(body['quantity'])) body['quantity'] = 1
  }
  const isShort = isTarget ? sign === -1 : action === 'openShort'
  if (isShort && !settings.mayShort)
    fields.fault(
      isTarget ? 'targetPosition' : 'action',
      'short_not_allowed',
      'This hook may not open short positions: allow it in the hook (mayShort)',
    )
  const opens = isTarget ? sign !== 0 : action !== undefined && isOpening(action)
  if (opens && settings.exit !== null && !Object.keys(body).some((field) => field.startsWith('exit')))
    Object.assign(body, exitBeside(fields, body['protection'], settings))
  if (!isAbsent(body['quantity'])) return trade
  if (isTarget) return { ...trade, body: { ...trade.body, ...ANY_SIZE } }
  if (action !== undefined && !isOpening(action)) return allOf(trade, action)
  const isSaid = settings.quantity !== null || settings.accounts.every(({ quantity }) => quantity !== null)
  if (!isSaid)
    fields.fault(
      'quantity',
      'required',
      'Neither the message nor the hook has a quantity: set one in the hook, or in the message',
    )
  delete body['quantity']
  return trade
}

/** The body needs a quantity even beside a target or move. */
const ANY_SIZE = { quantity: 1, quantityType: 'fixed' } as const

const allOf = (trade: TradeInstruction, action: Action): TradeInstruction => ({
  ...trade,
  body: { ...trade.body, ...ANY_SIZE },
  move: { kind: 'close', side: action === 'closeLong' ? 'LONG' : 'SHORT', part: null },
})
