import type { Instruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import { mayMoveOpen } from '#domain/signal/moves.ts'
import { isSecretName } from '#contract/values/secrets.ts'
import { folded, saysNone, type Given, SenderFields } from './sender-fields.ts'
import { compare, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { LevelName } from '#domain/exit/protection.ts'
import { fault } from '#contract/errors.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import type { Intent, ReadPart, ReadExit, ReadPrice, Side } from './dialect.ts'

const PROTECTION = /stoploss|takeprofit|profittarget|trail/
const PROFIT_TARGET = /^targets?(?:price)?\d*$/
const WORD = /^(?:sl|tp|oco|bracket)$|stops?$/
const NUMBER = /\d{1,9}$/
const MEASURE = /(?:price|px|pct|percent|pips|points|ticks|value|amount|offset|level)$/
const LONGEST_LOOKED_AT = 100
const MOST_REPORTED = 10

function namesProtection(whole: string): boolean {
  const name = whole.slice(0, LONGEST_LOOKED_AT)
  const plain = folded(name)
  if (PROTECTION.test(plain) || PROFIT_TARGET.test(plain)) return true
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').split(/[._\- ]+/)
  return words.some((word) => WORD.test(word.toLowerCase().replace(NUMBER, '').replace(MEASURE, '')))
}

export function* protectionWithin(
  given: Given,
  isRead: (name: string) => boolean = () => false,
  isAround = given.path.some((step) => namesProtection(String(step))),
): Generator<Given> {
  const { name, path, value } = given
  if (isRead(name)) return
  if (typeof value !== 'object' || value === null) {
    if (isAround && !saysNone(given)) yield given
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    if (isSecretName(key)) continue
    const own = {
      name: name === '' ? key : `${name}.${key}`,
      path: [...path, Array.isArray(value) ? Number(key) : key],
    }
    yield* protectionWithin({ ...own, value: inner }, isRead, isAround || namesProtection(key))
  }
}

/** The entry would lack its stop, unless the owner chose `ignore`. */
export function reportUnreadProtection(
  fields: SenderFields,
  unread: Iterable<Given>,
  instructions: readonly Instruction[],
  { protection }: HookSettings,
): void {
  if (!instructions.some(mayOpen)) return
  for (const given of [...unread].slice(0, MOST_REPORTED))
    if (protection === 'ignore')
      fields.advise(
        'protection_ignored',
        `${given.name} is no field for a stop or a profit target here; it was left out, as the hook says`,
      )
    else
      fields.fault(
        given,
        'protection_not_kept',
        `${given.name} seems to ask for a stop or a profit target, and is no field for that here, so that the entry would be sent without it. Use the fields of this sender, leave it out, or let the hook ignore what cannot be kept (protection)`,
      )
}

const mayOpen = (instruction: Instruction): boolean =>
  instruction.kind === 'trade' &&
  (instruction.move === null ? instruction.body['targetPosition'] !== '0' : mayMoveOpen(instruction.move))

type Names = Readonly<Record<'price' | 'percent' | 'amount', readonly string[]>>

const PRICED_IN_PERCENT = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/

/** A price such as 187.5, or a distance such as "5%". */
function readOne(fields: SenderFields, kind: keyof Names, names: readonly string[]): ReadPart['fields'] {
  const given = names.length === 0 ? null : fields.pick(...names)
  const [, percent] = typeof given?.value === 'string' ? (PRICED_IN_PERCENT.exec(given.value) ?? []) : []
  const found = fields.price(percent === undefined ? given : { ...given!, value: percent })
  if (found === null) return {}
  return { [percent === undefined ? kind : 'percent']: found }
}

function readPart(fields: SenderFields, names: Names): ReadPart | null {
  const found = {
    ...readOne(fields, 'percent', names.percent),
    ...readOne(fields, 'amount', names.amount),
    ...readOne(fields, 'price', names.price),
  }
  const [first] = Object.values(found)
  return first === undefined ? null : { given: first.given, fields: found }
}

const namesOf = (prefixes: readonly string[], price: readonly string[]): Names => ({
  price,
  percent: prefixes.flatMap((prefix) => [`${prefix}percent`, `${prefix}pct`]),
  amount: prefixes.map((prefix) => `${prefix}amount`),
})
const STOP_PRICES = ['stoploss', 'sl', 'stoplossprice', 'stoplossstopprice']
const STOP_NAMES = namesOf(['stoploss', 'sl'], STOP_PRICES)
const TARGET_PRICES = ['takeprofit', 'tp', 'takeprofitprice', 'takeprofitlimitprice']
const TARGET_NAMES = namesOf(['takeprofit', 'tp'], TARGET_PRICES)
const TRAIL_NAMES = namesOf(['stoplosstrail', 'trailingstop'], [])

export function exitOfFields(fields: SenderFields): ReadExit {
  const stop = readPart(fields, STOP_NAMES)
  const limit = fields.price(fields.pick('stoplosslimit', 'stoplosslimitprice'))
  const target = readPart(fields, TARGET_NAMES)
  const trail = readPart(fields, TRAIL_NAMES)
  const alone = fields.optional('trailingstop')
  const distance = alone === null ? {} : readDistance(alone)
  if (limit !== null && stop?.fields.price === undefined)
    fields.fault(limit.given, 'required', `${limit.given.name} needs the price of the stop beside it`)
  const isUnkept = alone !== null && !saysNone(alone) && distance.percent === undefined
  const why =
    'says not whether it is in percent or in dollars: write trailingStopPercent or trailingStopAmount'
  return {
    stop: stop && { ...stop, limit },
    target,
    trail: trail ?? (distance.percent === undefined ? null : { given: alone!, fields: distance }),
    unkept: isUnkept ? [{ given: alone, why }] : [],
  }
}

function readDistance(given: Given): ReadPart['fields'] {
  const [, percent] = typeof given.value === 'string' ? (PRICED_IN_PERCENT.exec(given.value) ?? []) : []
  return percent === undefined ? {} : { percent: { given, value: percent as Decimal } }
}

const STOP_IN_OBJECT: Names = { price: ['stopprice'], percent: ['percent'], amount: ['amount'] }
const TARGET_IN_OBJECT: Names = { price: ['limitprice', 'price'], percent: ['percent'], amount: ['amount'] }
const TRAIL_IN_OBJECT: Names = { price: [], percent: ['trailpercent'], amount: ['trailamount'] }

export function exitOfObjects(fields: SenderFields): ReadExit {
  const target = within(fields, 'takeprofit', 'limitPrice', (inner, whole) => {
    const part = readPart(inner, TARGET_IN_OBJECT)
    requireSomething(inner, part !== null, 'limitPrice')
    return part && whole(part)
  })
  const stop = within(fields, 'stoploss', 'stopPrice', (inner, whole) => {
    const type = inner.optional('type')
    const word = inner.text(type)?.toLowerCase() ?? null
    if (word !== null && !['stop', 'stop_limit', 'trailing_stop'].includes(word))
      inner.fault(type!, 'unknown_word', 'type must be one of stop, stop_limit, trailing_stop')
    const part = readPart(inner, STOP_IN_OBJECT)
    const limit = inner.price(inner.pick('limitprice'))
    const trail = readPart(inner, TRAIL_IN_OBJECT)
    if (word === 'trailing_stop' && trail === null)
      inner.fault(
        'trailPercent',
        'required',
        'trailPercent or trailAmount is required with type trailing_stop',
      )
    else
      requireSomething(inner, part !== null || trail !== null, 'stopPrice', type !== null || limit !== null)
    if (limit !== null && part !== null && part.fields.price === undefined)
      inner.fault(limit.given, 'required', 'limitPrice needs the stopPrice beside it')
    const limited = limit && whole({ given: limit.given, fields: { price: limit } }).fields.price!
    return { part: part && { ...whole(part), limit: limited }, trail: trail && whole(trail) }
  })
  return { stop: stop?.part ?? null, trail: stop?.trail ?? null, target, unkept: [] }
}

/** A template leaves an empty object when nothing is chosen. */
function requireSomething(inner: SenderFields, isThere: boolean, priceName: string, isAsked = false): void {
  if (isThere || inner.faults.length > 0) return
  if (isAsked || inner.unread().some((other) => !saysNone(other)))
    inner.fault(priceName, 'required', `${priceName} is required`)
}

/** A bare number is the price. `asWhole` restores names and paths of the message. */
function within<Found>(
  fields: SenderFields,
  name: string,
  priceName: string,
  read: (inner: SenderFields, asWhole: (part: ReadPart) => ReadPart) => Found,
): Found | null {
  const given = fields.pick(name)
  if (given === null) return null
  if (Array.isArray(given.value))
    return fields.fault(given, 'invalid_type', `${given.name} must be an object`)
  const isObject = typeof given.value === 'object'
  const inner = new SenderFields(isObject ? (given.value as JsonObject) : { [priceName]: given.value })
  const whole = (one: ReadPrice): ReadPrice => {
    if (!isObject) return { ...one, given }
    const { name, path } = one.given
    return { ...one, given: { ...one.given, name: `${given.name}.${name}`, path: [...given.path, ...path] } }
  }
  const found = read(inner, (part) => ({
    given,
    fields: Object.fromEntries(Object.entries(part.fields).map(([field, one]) => [field, whole(one)])),
  }))
  for (const { path, code, message } of inner.faults)
    fields.faults.push(
      isObject
        ? fault([...given.path, ...path], code, `${given.name}.${message}`)
        : fault(given.path, code, message.replace(priceName, given.name)),
    )
  return inner.faults.length > 0 ? null : found
}

interface ExitInBody {
  body: Record<string, unknown> | null
  names: Partial<Record<string, string>>
}

/** No entry is sent without its stop, unless the owner chose `ignore`. */
export function exitInBody(
  fields: SenderFields,
  { stop, target, trail, unkept }: ReadExit,
  side: Side,
  { protection }: HookSettings,
): ExitInBody {
  for (const { given, why } of unkept)
    if (protection === 'ignore')
      fields.advise('protection_ignored', `${given.name} ${why}; it was left out, as the hook says`)
    else
      fields.fault(
        given,
        'protection_not_kept',
        `${given.name} ${why}. Send that, or let the hook ignore what cannot be kept (protection)`,
      )
  const names: ExitInBody['names'] = {}
  const bodyOf = (part: LevelName, read: ReadPart): Record<string, Decimal> => {
    names['protection'] ??= read.given.name
    names[`protection.${part}`] = read.given.name
    return Object.fromEntries(
      Object.entries(read.fields).map(([field, { given, value }]) => {
        names[`protection.${part}.${field}`] = given.name
        return [field, value]
      }),
    )
  }
  const offset = stop?.limit == null ? null : offsetOf(fields, stop.fields.price!.value, stop.limit, side)
  const body = {
    ...(stop && { stop: { ...bodyOf('stop', stop), ...(offset !== null && { limitOffset: offset }) } }),
    ...(target && { target: bodyOf('target', target) }),
    ...(trail && { trail: bodyOf('trail', trail) }),
  }
  return { body: Object.keys(body).length === 0 ? null : body, names }
}

/** Levels for held shares of unknown side; null with a fault. */
export function exitForHeld(
  fields: SenderFields,
  { stop, target, trail, unkept }: ReadExit,
): Record<string, unknown> | null {
  for (const { given, why } of unkept) fields.fault(given, 'protection_not_kept', `${given.name} ${why}`)
  if (stop?.limit != null)
    fields.fault(stop.limit.given, 'not_allowed', `${stop.limit.given.name} is not taken with protect`)
  const parts = Object.entries({ stop, target, trail }).flatMap(([part, read]) =>
    read ? [{ part, read }] : [],
  )
  if (parts.length === 0)
    fields.fault(
      'stopLossPercent',
      'required',
      'protect needs a stop, a target or a trail, such as "stopLossPercent": 5',
    )
  if (fields.faults.length > 0) return null
  const valuesOf = (read: ReadPart) =>
    Object.fromEntries(Object.entries(read.fields).map(([field, { value }]) => [field, value]))
  return Object.fromEntries(parts.map(({ part, read }) => [part, valuesOf(read)]))
}

/** Dollars between stop and limit. */
function offsetOf(
  fields: SenderFields,
  stop: Decimal,
  { given, value }: ReadPrice,
  side: Side,
): Decimal | null {
  const offset = side === 'LONG' ? subtract(stop, value) : subtract(value, stop)
  if (compare(offset, '0') >= 0) return offset
  const where = side === 'LONG' ? 'above' : 'below'
  return fields.fault(
    given,
    'wrong_side',
    `${given.name} must not lie ${where} the stop: a limit there would not close a ${side.toLowerCase()} position`,
  )
}

export const sideOpenedBy = (intent: Exclude<Intent, { kind: 'close' }>): Side =>
  (intent.kind === 'target' ? compare(intent.position, '0') > 0 : intent.move.direction === 'buy')
    ? 'LONG'
    : 'SHORT'

export const fieldsOf = ({ stop, target, trail, unkept }: ReadExit): string[] => [
  ...[stop, trail, target].flatMap((part) => (part === null ? [] : [part.given.name])),
  ...unkept.map(({ given }) => given.name),
]
