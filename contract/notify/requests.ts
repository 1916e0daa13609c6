import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { CHANNEL_KINDS, EVENT_KINDS, URGENCIES, type ChannelKind } from '#domain/alert/channels.ts'
import { fault, validationError } from '../errors.ts'
import { faultsIn, readFields, type JsonObject } from '../values/fields.ts'
import { lineOfText, oneOf, trueOrFalse, uuid } from '../values/values.ts'
import { utcInstant } from '../values/instants.ts'

const LONGEST_CHANNEL_ADDRESS = 2_000
const LONGEST_CHANNEL_NAME = 100
const PRINTABLE = /^[!-~]+$/

/** Base64url, with or without padding. */
const bytes = (length: number, what: string) =>
  z
    .string({ error: 'must be text' })
    .refine((text) => text.length <= 200 && /^[\w-]+={0,2}$/.test(text), 'must be base64url')
    .transform((text) => Buffer.from(text, 'base64url'))
    .refine((key) => key.length === length, `must be ${what}`)

const publicKey = () =>
  bytes(65, 'an uncompressed point of P-256: 65 bytes')
    .refine((key) => key[0] === 4 && isOnCurve(key), 'must be a point of P-256')
    .transform((key) => key.toString('base64url'))
    .meta({ type: 'string', minLength: 87, maxLength: 88 })

function isOnCurve(point: Buffer): boolean {
  try {
    ECDH.convertKey(point, 'prime256v1')
    return true
  } catch {
    return false
  }
}

const address = (protocols = /^https?:/) =>
  z
    .string({ error: 'must be text' })
    .refine(
      (text) => text.length <= LONGEST_CHANNEL_ADDRESS,
      `must be at most ${LONGEST_CHANNEL_ADDRESS} characters long`,
    )
    .refine(
      (text) => PRINTABLE.test(text) && URL.canParse(text) && protocols.test(text),
      'must be an address such as https://example.com',
    )
    .meta({ maxLength: LONGEST_CHANNEL_ADDRESS })

const text = (pattern: RegExp, what: string) =>
  z.string({ error: 'must be text' }).refine((given) => pattern.test(given), `must be ${what}`)

/** What its owner enters for a channel of each kind. */
export const CHANNEL_SETTINGS = {
  push: z.strictObject({
    endpoint: address(),
    keys: z.strictObject(
      {
        p256dh: publicKey(),
        auth: bytes(16, '16 bytes')
          .transform((secret) => secret.toString('base64url'))
          .meta({ type: 'string', minLength: 22, maxLength: 24 }),
      },
      { error: 'must hold p256dh and auth' },
    ),
  }),
  telegram: z.strictObject({
    botToken: text(/^\d{3,20}:[\w-]{20,80}$/, 'the token of a bot, as @BotFather shows it'),
    chatId: text(/^(-?\d{1,20}|@\w{4,40})$/, 'the number of a chat, or @channel'),
  }),
  ntfy: z.strictObject({
    server: address().default('https://ntfy.sh'),
    topic: text(/^[\w-]{1,64}$/, '1 to 64 letters, digits, - and _'),
    token: text(/^[!-~]{1,200}$/, 'an access token')
      .nullable()
      .default(null),
  }),
  discord: z.strictObject({ url: address() }),
  slack: z.strictObject({ url: address() }),
  webhook: z.strictObject({ url: address() }),
  email: z.strictObject({}),
} as const satisfies Record<ChannelKind, z.ZodObject>

export type ChannelSettings<K extends ChannelKind> = z.output<(typeof CHANNEL_SETTINGS)[K]>

const urgencies = () =>
  z.array(oneOf(URGENCIES), { error: 'must be a list' }).transform((given) => [...new Set(given)])
const events = () =>
  z.array(oneOf(EVENT_KINDS), { error: 'must be a list' }).transform((given) => [...new Set(given)])

const settings = () =>
  z
    .looseObject({}, { error: 'must be an object' })
    .describe(
      'By kind. push: endpoint and keys of a browser; telegram: botToken, chatId; ntfy: server, topic, token; discord, slack, webhook: url; email: none, it goes to your own address',
    )

export const channelCreation = z.strictObject({
  kind: oneOf(CHANNEL_KINDS),
  name: lineOfText(LONGEST_CHANNEL_NAME),
  settings: settings().default({}),
  urgencies: urgencies().optional(),
  events: events().optional(),
})

/** Throws VALIDATION_ERROR with every fault, of the settings of its kind too. */
export function readChannel(body: JsonObject): z.output<typeof channelCreation> {
  const { values, faults } = readFields(channelCreation.shape, body)
  const { kind, settings: given = {}, events: announced } = values
  if (kind !== undefined) {
    const { error } = CHANNEL_SETTINGS[kind].safeParse(given)
    if (error) faults.push(...faultsIn(error, ['settings']))
    if (announced && announced.length > 0 && kind !== 'webhook')
      faults.push(fault(['events'], 'not_allowed', 'events are for webhooks only'))
  }
  if (faults.length > 0) throw validationError(faults)
  return values as z.output<typeof channelCreation>
}

export const channelChange = z.strictObject({
  name: lineOfText(LONGEST_CHANNEL_NAME).optional(),
  urgencies: urgencies().optional(),
  events: events().optional(),
})

export const sendAgainRequest = z.strictObject({
  /** With or without the `evt_` of its `webhook-id`. */
  eventId: z
    .string({ error: 'must be text' })
    .transform((id) => id.replace(/^evt_/, ''))
    .pipe(uuid())
    .optional(),
  since: utcInstant().optional(),
})

/** Throws VALIDATION_ERROR. */
export function readSendAgain(body: JsonObject): { eventId: string } | { since: string } {
  const { values, faults } = readFields(sendAgainRequest.shape, body)
  const { eventId, since } = values
  if (faults.length === 0 && (eventId === undefined) === (since === undefined))
    faults.push(fault(['since'], 'required', 'Send either eventId or since'))
  if (faults.length > 0) throw validationError(faults)
  return eventId === undefined ? { since: since! } : { eventId }
}

const timeOfDay = () => text(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:00')

const quietHours = z
  .strictObject({
    from: timeOfDay(),
    until: timeOfDay(),
    zone: z.string({ error: 'must be text' }).refine(isZone, 'must be a time zone such as Europe/Berlin'),
  })
  .check(({ value, issues }) => {
    if (value.from === value.until)
      issues.push({
        code: 'custom',
        path: ['until'],
        message: 'must be another time than the beginning',
        input: value.until,
      })
  })

function isZone(zone: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions()
    // Short names mean other hours in PostgreSQL.
    return timeZone !== '' && (zone === 'UTC' || /^[A-Za-z_]+\//.test(zone))
  } catch {
    return false
  }
}

export const choicesRequest = z.strictObject({
  waitingSignals: trueOrFalse(),
  alerts: trueOrFalse(),
  refused: trueOrFalse(),
  filled: trueOrFalse(),
  closed: trueOrFalse(),
  daySummary: trueOrFalse(),
  showFigures: trueOrFalse(),
  quietHours: quietHours
    .nullable()
    .describe('Outcomes and the letter of the day wait for their end; alarms and decisions do not'),
})

/** An update of Telegram's Bot API; other fields are ignored. */
export const telegramUpdate = z.looseObject({
  callback_query: z
    .looseObject({
      id: z.string().max(100),
      from: z.looseObject({ id: z.int() }),
      data: z.string().max(64).optional(),
      message: z.looseObject({ message_id: z.int() }).optional(),
    })
    .optional(),
})

/** Throws VALIDATION_ERROR. */
export function readTelegramUpdate(body: JsonObject): z.output<typeof telegramUpdate> {
  const { data, error } = telegramUpdate.safeParse(body)
  if (error) throw validationError(faultsIn(error))
  return data
}
