import { endpoints, idOf } from '../endpoint.ts'
import { DEFAULT_CHOICES } from '#domain/notification-choices.ts'
import { z } from 'zod'
import { messageAnswer } from '../identity/answers.ts'
import {
  notificationChoicesAnswer,
  pushTestAnswer,
  subscriptionAnswer,
  subscriptionListAnswer,
  type SubscriptionAnswer,
} from './answers.ts'
import { choicesRequest, subscriptionRequest } from './schema.ts'

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
    summary: 'Let this browser take notifications',
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
    summary: 'Send no more notifications to a browser',
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
        description: 'What came of it. A browser that is gone is removed from the list',
        schema: pushTestAnswer,
        examples: { 'two of them': { sent: 2, failed: 0 } },
      },
    },
    errors: ['PUSH_DISABLED'],
  },
  'GET /api/v1/settings/notifications': {
    tag: 'Notifications',
    summary: 'Show what you are notified of',
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
    summary: 'Choose what you are notified of',
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
