import { createHash } from 'node:crypto'
import { decimal, isDecimal } from '#domain/money/decimal.ts'
import type { AlertIdentity, Instruction } from '#domain/hook/message.ts'
import type { HookKind } from '#domain/hook/settings.ts'
import type { Close } from '#domain/signal/move.ts'
import { inKeyOrder } from '../../http/paging.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import { NAMES_NOTHING, isPlainText } from '#contract/values/values.ts'
import {
  namesNothing,
  notFilledIn,
  placeholderIn,
  isSecretName,
  NOTES,
  type Place,
} from '#contract/values/secrets.ts'
import { folded, SenderFields, type Given } from './sender-fields.ts'

/** Folded names. */
export const FIELDS_OF_ALERT_NAMES = ['sourceid', 'signalid', 'alertid']
const MAX_ALERT_NAME = 255

const INSTANTS: ReadonlySet<string> = new Set(
  'timenow now timestamp alerttimestamp alerttime alertedat sentat senttime firedat triggeredat generatedat signaltime targetat'.split(
    ' ',
  ),
)
/** A TradingView strategy sends the beginning of the bar as `time`. */
const BAR_TIMES: ReadonlySet<string> = new Set('bartime barstart bartimestamp opentime closetime'.split(' '))
const PLAIN_TIME = 'time'
/** A sender's retry may change this time only. */
const OF_SENDING: ReadonlySet<string> = new Set(['sentat', 'senttime'])

/** A date with a time, or seconds or milliseconds since 1970. */
const WHEN =
  /^(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?|1\d{9}(?:\d{3})?)$/

/** A constant name is a fault: later alerts would count as repetitions. */
export function alertNameOf(fields: SenderFields, given: Given | null): string | null {
  const text = fields.text(given)
  if (text === null || given === null) return null
  const wrong = (words: string): null => fields.fault(given, 'custom', `${given.name} ${words}`)
  if (!isPlainText(text)) return wrong('must not contain control characters')
  if (Array.from(text).length > MAX_ALERT_NAME)
    return wrong(`must be at most ${MAX_ALERT_NAME} characters long`)
  return namesNothing(text) ? wrong(NAMES_NOTHING) : text
}

/** Times and trade belong to the identity: alerts may share a name. */
export function identityOf(
  fields: SenderFields,
  kind: HookKind,
  content: JsonObject | string,
  name: string | null,
  instructions: readonly Instruction[],
): AlertIdentity {
  const times = typeof content === 'string' ? [] : [...timesIn(fields, kind, content, [])]
  if (name !== null) return { text: textOfName(fields, name, times, instructions), isWindowed: false }
  if (typeof content === 'string')
    return { text: digest(kind, instructions.map(inWhole).join('\n')), isWindowed: true }
  const clean = withoutSecretFields(content)
  if (times.length === 0) return { text: digest(kind, canonical(clean)), isWindowed: true }
  if (times.some(({ meaning }) => meaning === 'instant'))
    return { text: digest(kind, canonical(clean)), isWindowed: false }
  fields.advise(
    'identity_by_bar',
    'The message has the time of its bar and not its own: a second identical alert within one bar counts as a repetition. Add {{timenow}}',
  )
  return { text: digest(kind, canonical(withoutInstants(clean))), isWindowed: false }
}

function textOfName(
  fields: SenderFields,
  name: string,
  times: readonly MessageTime[],
  instructions: readonly Instruction[],
): string {
  const own = times.filter(({ field }) => !OF_SENDING.has(field)).map(({ text }) => text)
  if (own.length === 0 && !/\d/.test(name))
    fields.advise(
      'identity_by_name',
      'The alert seems to have the same name each time, and no time: a second one of that name with the same trade always counts as a repetition. Add {{timenow}}',
    )
  const words = [...new Set(own)].toSorted().concat(instructions.map(inWords)).join(', ')
  return `${name} (${words.length > MAX_WORDS_OF_IDENTITY ? digest('', words) : words})`
}

const MAX_WORDS_OF_IDENTITY = 400

function inWords(instruction: Instruction): string {
  if (instruction.kind === 'halt') return `halt ${instruction.level}`
  if (instruction.kind === 'flatten') return 'flatten'
  if (instruction.kind === 'protect')
    return `protect ${instruction.symbol} ${JSON.stringify(instruction.plan)}`
  if (instruction.kind === 'cancel') return `cancel ${instruction.symbol ?? 'all'}`
  const { body, move } = instruction
  const accounts = asWord(body['accountId'] ?? body['accountIds'])
  return [
    ...('targetPosition' in body
      ? ['target', asWord(body['targetPosition'])]
      : move?.kind === 'close'
        ? ['close', move.side, partInWords(move)]
        : [
            move?.direction ?? asWord(body['action']),
            asWord(body['quantity']),
            unitOf(body['quantityType']),
          ]),
    asWord(body['symbol']),
    accounts === null ? null : `for ${accounts}`,
  ]
    .filter((word) => word !== null)
    .join(' ')
}

const partInWords = ({ part }: Close): string =>
  part === null ? 'all' : 'shares' in part ? part.shares : `${part.percent}%`

const unitOf = (type: unknown): string | null => (type === 'fixed' ? null : asWord(type))

function asWord(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (isDecimal(value)) return decimal(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const digest = (kind: string, text: string): string =>
  createHash('sha256').update(`${kind}\n${text}`).digest('hex')

const inWhole = (instruction: Instruction): string =>
  canonical(instruction.kind === 'trade' ? { ...instruction, names: null } : instruction)

/** Ignores order of fields, spelling of names, case, blanks, line ends, and number format. */
const canonical = (value: unknown): string => JSON.stringify(inKeyOrder(plainForm(value)))

const LONGEST_NUMBER = 60

function plainForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainForm)
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, inner]): [string, unknown] => [
      folded(name),
      plainForm(inner),
    ])
    return Object.fromEntries(fields.filter(([, inner]) => inner !== null && inner !== ''))
  }
  if (value === null || value === undefined) return null
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .trim()
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
  return text.length <= LONGEST_NUMBER && isDecimal(text) ? decimal(text) : text
}

const meaningOf = (plain: string, kind: HookKind): 'instant' | 'bar' | null => {
  if (INSTANTS.has(plain)) return 'instant'
  if (BAR_TIMES.has(plain)) return 'bar'
  return plain === PLAIN_TIME ? (kind === 'tradingview' ? 'bar' : 'instant') : null
}

interface MessageTime {
  meaning: 'instant' | 'bar'
  field: string
  text: string
}

/** An unfilled placeholder is a fault. */
function* timesIn(
  fields: SenderFields,
  kind: HookKind,
  value: object,
  path: (string | number)[],
): Generator<MessageTime> {
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const own = [...path, Array.isArray(value) ? Number(key) : key]
    if (typeof inner === 'object' && inner !== null) {
      if (!isSecretName(key)) yield* timesIn(fields, kind, inner, own)
      continue
    }
    const field = folded(key)
    const meaning = meaningOf(field, kind)
    if (meaning === null || (typeof inner !== 'string' && typeof inner !== 'number')) continue
    const text = String(inner).trim()
    const placeholder = placeholderIn(text)
    const name = own.join('.')
    if (placeholder !== null)
      fields.fault(
        { name, path: own, value: inner },
        'unfilled_placeholder',
        `${name}: ${notFilledIn(placeholder)}`,
      )
    else if (WHEN.test(text)) yield { meaning, field, text }
  }
}

/** The latest time as a UTC instant; null for none. A time without a zone is UTC. */
export function momentIn(kind: HookKind, content: JsonObject | string): string | null {
  if (typeof content === 'string') return null
  const moments = [...timesIn(new SenderFields({}), kind, content, [])]
    .filter(({ meaning }) => meaning === 'instant')
    .map(({ text }) => millisecondsOf(text))
    .filter((at) => Number.isFinite(at))
  return moments.length === 0 ? null : new Date(moments.reduce((a, b) => Math.max(a, b))).toISOString()
}

function millisecondsOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * (text.length === 10 ? 1_000 : 1)
  const written = text.replace(' ', 'T')
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(written.slice(16)) ? written : `${written}Z`)
}

function withoutInstants(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutInstants)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !INSTANTS.has(folded(name)))
      .map(([name, inner]) => [name, withoutInstants(inner)]),
  )
}

/** Secrets change with each rotation. */
function withoutSecretFields(value: unknown, place: Place = 'message'): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner) => withoutSecretFields(inner, place))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecretName(name, place))
      .map(([name, inner]) => [name, withoutSecretFields(inner, name === NOTES ? 'notes' : place)]),
  )
}
