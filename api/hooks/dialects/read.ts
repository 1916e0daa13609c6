import type { ReadMessage, UnreadMessage } from '#domain/hook/message.ts'
import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import { withoutTokens } from '#contract/values/tokens.ts'
import { fault, type Fault } from '#contract/errors.ts'
import { forNamedAccounts } from './accounts.ts'
import type { Dialect, Reading } from './dialect.ts'
import { identityOf, momentIn } from './identity.ts'
import { json } from './json.ts'
import { openalgo } from './openalgo.ts'
import { readText } from './read-text.ts'
import { levelsInTicks } from './levels-in-ticks.ts'
import { MAX_FAULTS_OF_MESSAGE, SenderFields } from './sender-fields.ts'
import { template } from './template.ts'
import { signalstack, tradeRelay } from './trade-relay.ts'
import { traderspost } from './traderspost.ts'
import { tradingview } from './tradingview.ts'
import { protectionWithin, tellOfUnreadProtection } from './unread-protection.ts'
import { boundsFault } from '#contract/values/json-bounds.ts'
import { MAX_HOOK_MESSAGE_BYTES, MESSAGE_TOO_LONG } from '#contract/hooks/schema.ts'

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

/** Faults and advisories can be stored, and repeat no secret. `before`: what was mended in the text before it was stored. */
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
  tellOfUnreadProtection(fields, unread, instructions, hook.settings)
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

/** Text that the database takes: no broken surrogates and no NUL, and no token of ours. */
const plainWords = (text: string): string =>
  withoutTokens(text)
    .slice(0, MAX_WORDS_OF_FAULT)
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')

/** Null where the message is read. */
export const messageBoundsFault = (text: string): Fault | null =>
  Buffer.byteLength(text) > MAX_HOOK_MESSAGE_BYTES
    ? fault([], 'too_long', `The message ${MESSAGE_TOO_LONG}`)
    : boundsFault(text)
