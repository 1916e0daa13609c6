import { asSampleAlert } from '#domain/hook/sample-alert.ts'
import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import { alertMessage } from '#domain/hook/templates.ts'
import { type Fault, fault } from '#contract/errors.ts'
import { parseJsonObject } from '../../http/body.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import { withoutSecretsInText, withoutTokens } from '#contract/values/secrets.ts'
import { withoutSecrets } from '../../signal/new-signal.ts'
import { isBlank, mendJson, startOfObject, withoutSurroundings, json } from './json.ts'
import type { ReadMessage, UnreadMessage } from '#domain/hook/message.ts'
import { forNamedAccounts } from './symbols.ts'
import type { Dialect, Reading } from './dialect.ts'
import { identityOf, momentIn } from './identity.ts'
import { openalgo } from './openalgo.ts'
import { levelsInTicks } from './orders.ts'
import { MAX_FAULTS_OF_MESSAGE, SenderFields } from './sender-fields.ts'
import { template } from './template.ts'
import { signalstack, tradeRelay } from './trade-relay.ts'
import { traderspost } from './traderspost.ts'
import { tradingview } from './tradingview.ts'
import { protectionWithin, reportUnreadProtection } from './protection.ts'
import { boundsFault } from '#contract/values/json-bounds.ts'
import { MAX_HOOK_MESSAGE_BYTES, MESSAGE_TOO_LONG } from '#contract/hook/requests.ts'

const ONE_SHARE = { on: 'indicator', word: 'buy', order: 'market', size: { fixed: '1' } } as const

export const sampleMessage = (kind: HookKind, { template }: Pick<HookSettings, 'template'>): string =>
  asSampleAlert(alertMessage(kind, ONE_SHARE, template).text, {
    ticker: 'AAPL',
    now: new Date().toISOString(),
    price: '200',
  })

type ReadText = { body: JsonObject; mends: string[] } | { line: string } | { faults: Fault[] }

function readText(text: string, takesLines: boolean): ReadText {
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

/** Unrepairable text returns in the form with the clearest fault. */
function asJson(text: string, mayBeText = true): { text: string; mends: string[] } {
  const value = parsed(text)
  if (typeof value === 'string' && mayBeText && startOfObject(value) >= 0) {
    const inner = asJson(value, false)
    return { text: inner.text, mends: ['the object was within a text', ...inner.mends] }
  }
  if (value !== undefined || startOfObject(text) < 0) return { text, mends: [] }
  const core = withoutSurroundings(text)
  const { text: mended, mends } = mendJson(core ?? text)
  if (core === null) return { text: mended, mends }
  const { start, end } = edges(text)
  const isAlone = startOfObject(text) === start && text.lastIndexOf('}') + 1 === end
  const around = isAlone ? [] : ['the text around the object was left out']
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

/** Repair comes first: broken JSON hides names and values. */
export function safeText(text: string): { body: string; mends: string[] } {
  const value = parsed(text)
  if (typeof value === 'string') return { body: JSON.stringify(safeText(value).body), mends: [] }
  if (value !== undefined) return { body: withoutSecrets(text), mends: [] }
  const { text: mended, mends } = asJson(text)
  if (parsed(mended) === undefined) return { body: withoutSecretsInText(text, 'message'), mends: [] }
  return { body: withoutSecrets(mended), mends }
}

const DIALECTS: Record<HookKind, Dialect> = {
  json,
  tradingview,
  traderspost,
  'trade-relay': tradeRelay,
  signalstack,
  openalgo,
  template,
}

const MAX_WORDS_OF_FAULT = 500

/**
 * Faults and advisories repeat no secret.
 * @param before earlier repairs
 */
export function readMessage(
  text: string,
  hook: { kind: HookKind; settings: HookSettings },
  before: readonly string[] = [],
): ReadMessage | UnreadMessage {
  const beyond = messageBoundsFault(text)
  if (beyond) return { faults: [beyond] }
  const dialect = DIALECTS[hook.kind]
  const read = readText(text, dialect.readLine !== null)
  if ('faults' in read) return { faults: read.faults.map(storable) }
  const fields = new SenderFields('body' in read ? read.body : {}, dialect.isNested)
  const mends = 'body' in read ? [...before, ...read.mends] : []
  if (mends.length > 0)
    fields.advise('body_repaired', `The message was repaired: ${mends.join('; ')}. Mend it where it is made`)
  const reading: Reading | null =
    'body' in read
      ? dialect.read(fields, hook.settings, read.body)
      : dialect.readLine!(read.line, fields, hook.settings)
  if (reading === null) return { faults: bounded(fields.faults) }
  const instructions = forNamedAccounts(fields, hook.kind, reading.instructions, hook.settings).map(
    (instruction) => (instruction.kind === 'trade' ? levelsInTicks(fields, instruction) : instruction),
  )
  const unread = fields.unread().flatMap((given) => [...protectionWithin(given)])
  reportUnreadProtection(fields, unread, instructions, hook.settings)
  if (fields.faults.length > 0) return { faults: bounded(fields.faults) }
  const content = 'body' in read ? read.body : read.line
  const identity = identityOf(fields, hook.kind, content, reading.name, instructions)
  if (fields.faults.length > 0) return { faults: bounded(fields.faults) }
  fields.adviseOfIgnored()
  return {
    instructions,
    identity,
    meantAt: momentIn(hook.kind, content),
    isTest: reading.isTest,
    advisories: fields.advisories.map(({ code, message }) => ({ code, message: plainWords(message) })),
  }
}

const bounded = (faults: readonly Fault[]): Fault[] => faults.slice(0, MAX_FAULTS_OF_MESSAGE).map(storable)

const storable = ({ code, message, path }: Fault): Fault => {
  const shown = path.map((step) => (typeof step === 'number' ? step : plainWords(step)))
  return { code, message: plainWords(message), path: shown, field: shown.join('.') }
}

/** Text that the database takes, without our tokens. */
const plainWords = (text: string): string =>
  withoutTokens(text)
    .slice(0, MAX_WORDS_OF_FAULT)
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')

/** Null within the bounds. */
export const messageBoundsFault = (text: string): Fault | null =>
  Buffer.byteLength(text) > MAX_HOOK_MESSAGE_BYTES
    ? fault([], 'too_long', `The message ${MESSAGE_TOO_LONG}`)
    : boundsFault(text)
