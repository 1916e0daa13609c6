import { z } from 'zod'
import { CHANNEL_KINDS, EVENT_KINDS, URGENCIES } from '#domain/alert/channels.ts'
import { DEFAULT_CHOICES } from '#domain/alert/notification-choices.ts'
import { endpoints, idOf } from '../endpoint.ts'
import { examplePaging } from '../envelopes.ts'
import { messageAnswer } from '../identity/answers.ts'
import { paging, pagingAnswer } from '../values/query.ts'
import { uuid } from '../values/values.ts'
import {
  channelChange,
  channelCreation,
  choicesRequest,
  readChannel,
  readSendAgain,
  readTelegramUpdate,
  sendAgainRequest,
  telegramUpdate,
} from './requests.ts'

const instantOrNull = (description: string) => z.iso.datetime().nullable().describe(description)

const channelAnswer = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(CHANNEL_KINDS),
    name: z.string().describe('As its owner calls it'),
    service: z.string().describe('Where it leads, without secrets: a host, or your address'),
    urgencies: z
      .array(z.enum(URGENCIES))
      .describe(
        'alarm: alerts; decision: signals that need approval; outcome: fills, closed positions, refusals; letter: the summary of the day',
      ),
    events: z.array(z.enum(EVENT_KINDS)).describe('Kinds of events that a webhook is sent'),
    createdAt: z.iso.datetime(),
    lastDeliveredAt: instantOrNull('When it took a message last; null before the first'),
    failingSince: instantOrNull('Since when messages fail and are tried again; null while they are taken'),
    refusedSince: instantOrNull('Since when every message is refused; null while they are taken'),
    refusal: z.string().nullable().describe('The reason'),
    pausedAt: instantOrNull('Since when it is sent nothing, until you resume it'),
    pauseReason: z.string().nullable(),
  })
  .meta({ id: 'Channel' })
export type ChannelAnswer = z.output<typeof channelAnswer>

const namedChannelAnswer = z.strictObject({ channel: channelAnswer })
const secretAnswer = z
  .string()
  .nullable()
  .describe('The secret that signs the requests of a webhook, shown this once; null for other kinds')

const deliveryAnswer = z.strictObject({
  id: z.string(),
  channelId: z.uuid(),
  subjectId: z.uuid().describe('The signal, order, alert, day or event'),
  about: z.string().describe('Kind of the notice, or type of the event'),
  attempt: z.int(),
  at: z.iso.datetime(),
  outcome: z
    .enum(['taken', 'failed', 'refused', 'gone', 'expired'])
    .describe('failed: it is tried again; refused, gone, expired: it is not'),
  reason: z.string().nullable(),
})
export type DeliveryAnswer = z.output<typeof deliveryAnswer>

const CHANNEL: ChannelAnswer = {
  id: '0b1f7c52-6a3e-4d18-8f59-2c7d9e4a6b30',
  kind: 'push',
  name: 'Chrome on a phone',
  service: 'https://fcm.googleapis.com',
  urgencies: ['alarm', 'decision', 'outcome', 'letter'],
  events: [],
  createdAt: '2026-03-02T14:00:00.000Z',
  lastDeliveredAt: null,
  failingSince: null,
  refusedSince: null,
  refusal: null,
  pausedAt: null,
  pauseReason: null,
}
const WEBHOOK: ChannelAnswer = {
  ...CHANNEL,
  id: '5d0c7a8e-2b41-4c6f-9a3d-7e18f0b2c4d6',
  kind: 'webhook',
  name: 'Journal',
  service: 'https://journal.example.com',
  urgencies: [],
  events: ['order', 'fill', 'trade'],
}
const SECRET = 'whsec_bm90IGEgc2VjcmV0LCBqdXN0IGFuIGV4YW1wbGUgb2Y='
const channelPath = { channelId: idOf('CHANNEL_NOT_FOUND') }
const TAG = 'Notifications'

const named = (words: string, channel: ChannelAnswer) => ({
  200: {
    description: 'The channel as it is now',
    schema: namedChannelAnswer,
    examples: { [words]: { channel } },
  },
})

export const channelEndpoints = endpoints({
  'GET /api/v1/channels': {
    tag: TAG,
    summary: 'List the channels that take your notifications, the newest first',
    description: 'Browsers, while they are signed in; messengers, e-mail and webhooks.',
    answers: {
      200: { description: 'Your channels', schema: z.array(channelAnswer), examples: { one: [CHANNEL] } },
    },
    errors: [],
  },
  'POST /api/v1/channels': {
    tag: TAG,
    summary: 'Add a channel',
    description:
      'A browser (`push`) is added with what its `PushManager.subscribe` answers for the `pushKey` of GET /app, lasts as long as the session that asks, and belongs to the user who subscribed last; of more than ten the oldest goes. `urgencies` is by default everything for a browser, alarms and decisions for a message, and nothing for a webhook, which is sent `events` by [Standard Webhooks](https://www.standardwebhooks.com). A signal that needs approval goes to browsers first, after 30 seconds in which none took it to messengers, then to e-mail.',
    body: {
      schema: channelCreation,
      read: readChannel,
      examples: {
        'a phone': {
          kind: 'push',
          name: CHANNEL.name,
          settings: {
            endpoint: 'https://fcm.googleapis.com/fcm/send/eX4mPl3:APA91b',
            keys: {
              p256dh:
                'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
              auth: 'BTBZMqHH6r4Tts7J_aSIgg',
            },
          },
        },
        'a webhook': {
          kind: 'webhook',
          name: WEBHOOK.name,
          settings: { url: 'https://journal.example.com/events' },
          events: ['order', 'fill', 'trade'],
        },
      },
    },
    answers: {
      201: {
        description: 'Added',
        schema: z.strictObject({ channel: channelAnswer, secret: secretAnswer }),
        examples: { 'a webhook': { channel: WEBHOOK, secret: SECRET } },
      },
      200: {
        description: 'The browser was added already; what has changed is kept',
        schema: z.strictObject({ channel: channelAnswer, secret: secretAnswer }),
        examples: { again: { channel: CHANNEL, secret: null } },
      },
    },
    errors: [
      'PUSH_SERVICE_UNKNOWN',
      'PUSH_DISABLED',
      'CHANNEL_LIMIT_REACHED',
      'CHANNEL_ADDRESS_DENIED',
      'CHANNEL_REFUSED',
      'VERIFICATION_REQUIRED',
    ],
  },
  'PATCH /api/v1/channels/:channelId': {
    tag: TAG,
    summary: 'Change a channel',
    description: 'Fields that you leave out stay as they are.',
    path: channelPath,
    body: { schema: channelChange, examples: { 'alarms only': { urgencies: ['alarm'] } } },
    answers: named('alarms only', { ...CHANNEL, urgencies: ['alarm'] }),
    errors: ['CHANNEL_NOT_FOUND'],
  },
  'DELETE /api/v1/channels/:channelId': {
    tag: TAG,
    summary: 'Remove a channel',
    path: channelPath,
    answers: {
      200: {
        description: 'Removed',
        schema: messageAnswer,
        examples: { removed: { message: 'The channel gets no more notifications' } },
      },
    },
    errors: ['CHANNEL_NOT_FOUND'],
  },
  'POST /api/v1/channels/:channelId/test': {
    tag: TAG,
    summary: 'Send a test message to a channel',
    path: channelPath,
    answers: {
      200: {
        description: 'What its service answered. A channel that is gone is paused',
        schema: z.strictObject({ taken: z.boolean(), reason: z.string().nullable() }),
        examples: { taken: { taken: true, reason: null } },
      },
    },
    errors: ['CHANNEL_NOT_FOUND'],
  },
  'POST /api/v1/channels/:channelId/resume': {
    tag: TAG,
    summary: 'Resume a channel that is paused; what waited is sent',
    path: channelPath,
    answers: named('a webhook', WEBHOOK),
    errors: ['CHANNEL_NOT_FOUND'],
  },
  'POST /api/v1/channels/:channelId/rotate': {
    tag: TAG,
    summary: 'Make a new secret of a webhook',
    description: 'Requests are signed with the old one too for a day.',
    path: channelPath,
    answers: {
      200: {
        description: 'The new secret, shown this once',
        schema: z.strictObject({ secret: z.string() }),
        examples: { new: { secret: SECRET } },
      },
    },
    errors: ['CHANNEL_NOT_FOUND'],
  },
  'POST /api/v1/channels/:channelId/send-again': {
    tag: TAG,
    summary: 'Send one event to a webhook again, or those since an instant',
    description: 'Of the last 14 days, at most 10,000 at once, under their ids.',
    path: channelPath,
    body: {
      schema: sendAgainRequest,
      read: readSendAgain,
      examples: {
        'since noon': { since: '2026-03-02T12:00:00Z' },
        one: { eventId: '019503e2-7b1c-7f3a-9c41-6d2b8e5f0a17' },
      },
    },
    answers: {
      200: {
        description: 'How many events are sent',
        schema: z.strictObject({ events: z.int() }),
        examples: { several: { events: 12 } },
      },
    },
    errors: ['CHANNEL_NOT_FOUND'],
  },
  'GET /api/v1/deliveries': {
    tag: TAG,
    summary: 'List what was sent to your channels, and why not, the newest first',
    description: 'Of the last 14 days.',
    query: z.strictObject({ ...paging, channelId: uuid().optional() }),
    answers: {
      200: {
        description: 'Each attempt',
        schema: z.strictObject({ deliveries: z.array(deliveryAnswer), ...pagingAnswer }),
        examples: {
          one: {
            deliveries: [
              {
                id: '1042',
                channelId: CHANNEL.id,
                subjectId: '019503e2-7b1c-7f3a-9c41-6d2b8e5f0a17',
                about: 'waiting',
                attempt: 1,
                at: '2026-03-02T14:31:10.120Z',
                outcome: 'taken',
                reason: null,
              },
            ],
            ...examplePaging(1),
          },
        },
      },
    },
    errors: [],
  },
  'POST /api/v1/telegram/:channelId': {
    tag: TAG,
    summary: 'Take the press of a button in Telegram',
    description:
      "Telegram's servers call it, and prove themselves by the header `X-Telegram-Bot-Api-Secret-Token`. The press of the person whose chat it is decides on a signal of a demo account as the web app does.",
    path: channelPath,
    body: {
      schema: telegramUpdate,
      read: readTelegramUpdate,
      examples: {
        'a press': {
          update_id: 815_002_711,
          callback_query: {
            id: '4382bfdwdsb323b2d9',
            from: { id: 1_234_567_890 },
            data: 'approve:0e8f5c1a-2b3d-4e5f-8a7b-9c0d1e2f3a4b',
            message: { message_id: 77 },
          },
        },
      },
    },
    answers: { 200: { description: 'Taken', schema: null } },
    errors: ['CHANNEL_NOT_FOUND'],
  },
  'GET /api/v1/settings/notifications': {
    tag: TAG,
    summary: 'Get your choice of notifications',
    answers: {
      200: {
        description: 'What you have chosen, or the defaults',
        schema: choicesRequest,
        examples: { defaults: DEFAULT_CHOICES },
      },
    },
    errors: [],
  },
  'PUT /api/v1/settings/notifications': {
    tag: TAG,
    summary: 'Choose your notifications',
    description: 'It holds for what is sent from now on.',
    body: {
      schema: choicesRequest,
      examples: { 'with figures': { ...DEFAULT_CHOICES, showFigures: true } },
    },
    answers: {
      200: {
        description: 'What holds from now on',
        schema: choicesRequest,
        examples: { 'with figures': { ...DEFAULT_CHOICES, showFigures: true } },
      },
    },
    errors: [],
  },
})
