import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { lineOfText, trueOrFalse } from './values/values.ts'
import { endpoints, idOf } from './endpoint.ts'
import { DEFAULT_CHOICES } from '#domain/alert/notification-choices.ts'
import { messageAnswer } from './identity/answers.ts'

const LONGEST_ENDPOINT = 2_000
const LONGEST_DEVICE = 100
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

const subscriptionRequest = {
  endpoint: z
    .string({ error: 'must be text' })
    .refine((text) => text.length <= LONGEST_ENDPOINT, `must be at most ${LONGEST_ENDPOINT} characters long`)
    .refine((text) => PRINTABLE.test(text) && URL.canParse(text), 'must be an address')
    .meta({ maxLength: LONGEST_ENDPOINT }),
  keys: z.strictObject(
    {
      p256dh: publicKey(),
      auth: bytes(16, '16 bytes')
        .transform((secret) => secret.toString('base64url'))
        .meta({ type: 'string', minLength: 22, maxLength: 24 }),
    },
    { error: 'must hold p256dh and auth' },
  ),
  device: lineOfText(LONGEST_DEVICE),
}

const choicesRequest = {
  waitingSignals: trueOrFalse(),
  alerts: trueOrFalse(),
  refused: trueOrFalse(),
  filled: trueOrFalse(),
  closed: trueOrFalse(),
  daySummary: trueOrFalse(),
  showFigures: trueOrFalse(),
}

function isOnCurve(point: Buffer): boolean {
  try {
    ECDH.convertKey(point, 'prime256v1')
    return true
  } catch {
    return false
  }
}

const subscriptionAnswer = z.strictObject({
  id: z.uuid(),
  device: z.string().describe('As its owner calls it'),
  service: z.string().describe('The host of the push service of the browser'),
  createdAt: z.iso.datetime(),
  lastDeliveredAt: z.iso
    .datetime()
    .nullable()
    .describe('When the push service took a message last; null before the first'),
  refusedSince: z.iso
    .datetime()
    .nullable()
    .describe('Since when the push service refuses every message for it; null while it takes them'),
  refusal: z.string().nullable().describe('What the push service says then'),
})
const subscriptionListAnswer = z.array(subscriptionAnswer)

const pushTestAnswer = z.strictObject({
  sent: z.number().int().describe('Subscriptions whose push services took the message'),
  failed: z.number().int(),
})

const notificationChoicesAnswer = z.strictObject({
  waitingSignals: z.boolean().describe('Signals that wait for a decision'),
  alerts: z.boolean(),
  refused: z.boolean().describe('Signals that were refused by a rule, or by the broker'),
  filled: z.boolean().describe('Entries, and manual orders, that filled'),
  closed: z.boolean().describe('What a signal opened is closed'),
  daySummary: z.boolean().describe('How the day went, after the close of the exchange'),
  showFigures: z
    .boolean()
    .describe('Notifications show symbols, quantities, prices, results and the words of alerts'),
})

export type SubscriptionAnswer = z.output<typeof subscriptionAnswer>

const SUBSCRIPTION: SubscriptionAnswer = {
  id: '0b1f7c52-6a3e-4d18-8f59-2c7d9e4a6b30',
  device: 'Chrome on a phone',
  service: 'fcm.googleapis.com',
  createdAt: '2026-03-02T14:00:00.000Z',
  lastDeliveredAt: null,
  refusedSince: null,
  refusal: null,
}

export const pushEndpoints = endpoints({
  'GET /api/v1/push/subscriptions': {
    tag: 'Notifications',
    summary: 'List the browsers that take your notifications, the newest first',
    description: 'Those that are signed in; at most ten.',
    answers: {
      200: {
        description: 'Your subscriptions',
        schema: subscriptionListAnswer,
        examples: { one: [SUBSCRIPTION] },
      },
    },
    errors: [],
  },
  'POST /api/v1/push/subscriptions': {
    tag: 'Notifications',
    summary: 'Register this browser for notifications',
    description:
      'With what `PushManager.subscribe` of the browser answers for the `pushKey` of GET /app. It lasts as long as the session that asks: after signing in again it is sent again. A browser belongs to the user who subscribed last; of more than ten the oldest goes.',
    body: {
      schema: z.strictObject(subscriptionRequest),
      examples: {
        'a phone': {
          endpoint: 'https://fcm.googleapis.com/fcm/send/eX4mPl3:APA91b',
          keys: {
            p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            auth: 'BTBZMqHH6r4Tts7J_aSIgg',
          },
          device: SUBSCRIPTION.device,
        },
      },
    },
    answers: {
      201: { description: 'Subscribed', schema: subscriptionAnswer, examples: { subscribed: SUBSCRIPTION } },
      200: {
        description: 'It was subscribed already; what has changed is kept',
        schema: subscriptionAnswer,
        examples: { again: SUBSCRIPTION },
      },
    },
    errors: ['PUSH_SERVICE_UNKNOWN', 'PUSH_DISABLED'],
  },
  'DELETE /api/v1/push/subscriptions/:subscriptionId': {
    tag: 'Notifications',
    summary: 'Stop notifications to a browser',
    path: { subscriptionId: idOf('SUBSCRIPTION_NOT_FOUND') },
    answers: {
      200: {
        description: 'Removed',
        schema: messageAnswer,
        examples: { removed: { message: 'The browser gets no more notifications' } },
      },
    },
    errors: ['SUBSCRIPTION_NOT_FOUND'],
  },
  'POST /api/v1/push/test': {
    tag: 'Notifications',
    summary: 'Send a test notification to every browser of yours',
    answers: {
      200: {
        description: 'The outcome. A browser that is gone is removed from the list',
        schema: pushTestAnswer,
        examples: { 'two of them': { sent: 2, failed: 0 } },
      },
    },
    errors: ['PUSH_DISABLED'],
  },
  'GET /api/v1/settings/notifications': {
    tag: 'Notifications',
    summary: 'Get your choice of notifications',
    answers: {
      200: {
        description: 'What you have chosen, or the defaults',
        schema: notificationChoicesAnswer,
        examples: { defaults: DEFAULT_CHOICES },
      },
    },
    errors: [],
  },
  'PUT /api/v1/settings/notifications': {
    tag: 'Notifications',
    summary: 'Choose your notifications',
    description: 'It holds for what is sent from now on.',
    body: {
      schema: z.strictObject(choicesRequest),
      examples: { 'with figures': { ...DEFAULT_CHOICES, showFigures: true } },
    },
    answers: {
      200: {
        description: 'What holds from now on',
        schema: notificationChoicesAnswer,
        examples: { 'with figures': { ...DEFAULT_CHOICES, showFigures: true } },
      },
    },
    errors: [],
  },
})
