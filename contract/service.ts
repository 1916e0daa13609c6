import { endpoints } from './endpoint.ts'
import { z } from 'zod'
import { requestIdAnswer, EXAMPLE_REQUEST_ID } from './envelopes.ts'

const state = z.enum(['up', 'down'])

const count = (description: string) =>
  z.int().min(0).nullable().describe(`${description}; null when that is not known`)

const readinessAnswer = z.strictObject({
  status: z.enum(['ready', 'not ready']),
  down: z
    .array(z.string())
    .describe(
      'Parts that are; `overdue` when something due is late by the fault of the service itself; `feed`, `build` and ' +
        '`workflows` when the number below that belongs to it is not 0; `disk` when the disk of the data folder is full',
    ),
  parts: z.strictObject({ database: state, temporal: state, worker: state, venue: state }),
  overdue: count('Exits, entries and other work that was due over 15 seconds ago and is not done'),
  unfollowedAccounts: count('Accounts of whose feed nothing was heard in time'),
  workersOfOtherBuild: count('Workers that have run another build than the API for over a minute'),
  failingWorkflows: count('Workflows whose code fails again and again, as after a bad roll-out'),
  requestId: requestIdAnswer,
})

const readiness = (description: string, words: string, venue: 'up' | 'down') => ({
  description,
  schema: readinessAnswer,
  examples: {
    [words]: {
      status: venue === 'up' ? 'ready' : 'not ready',
      down: venue === 'up' ? [] : ['venue'],
      parts: { database: 'up', temporal: 'up', worker: 'up', venue },
      overdue: 0,
      unfollowedAccounts: 0,
      workersOfOtherBuild: 0,
      failingWorkflows: 0,
      requestId: EXAMPLE_REQUEST_ID,
    },
  },
})

export const serviceEndpoints = endpoints({
  'GET /': {
    tag: 'Service',
    summary: 'Get the version of the service and the addresses to begin with',
    answers: {
      200: {
        description: 'Name, version and the addresses to begin with',
        schema: z.strictObject({
          name: z.string(),
          version: z.string(),
          links: z.record(z.string(), z.string()),
          requestId: requestIdAnswer,
        }),
        examples: {
          'this service': {
            name: 'durable-trader',
            version: '0.1.0',
            links: { reference: '/docs', description: '/openapi.json', signals: '/api/v1/signals' },
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
    },
    errors: [],
  },
  'GET /healthz': {
    tag: 'Service',
    summary: 'Check whether the process runs',
    answers: {
      200: {
        description: 'It runs',
        schema: z.strictObject({ status: z.literal('ok') }),
        examples: { 'it runs': { status: 'ok' } },
      },
    },
    errors: [],
  },
  'GET /readyz': {
    tag: 'Service',
    summary: 'Check whether a signal sent now would become an order',
    description: 'A worker that died shows as down within five seconds.',
    answers: {
      200: readiness('Every part is there', 'ready', 'up'),
      503: readiness('A part is missing', 'not ready', 'down'),
    },
    errors: [],
  },
})

const PAGE = { 200: { description: 'The page or file', schema: null } }

export const referenceEndpoints = endpoints({
  'GET /openapi.json': {
    tag: 'Service',
    summary: 'Get this description',
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document',
        schema: z.looseObject({ openapi: z.string() }),
        examples: { beginning: { openapi: '3.1.1' } },
      },
    },
    errors: [],
  },
  'GET /docs': {
    tag: null,
    summary: 'Read the reference of the API',
    answers: PAGE,
    errors: [],
  },
  'GET /docs/:file': {
    tag: null,
    summary: 'Load a part of that page',
    path: { file: { schema: z.string(), absent: 'NOT_FOUND' } },
    query: z.strictObject({ v: z.string().optional() }),
    answers: PAGE,
    errors: ['NOT_FOUND'],
  },
})

const appAnswer = z.strictObject({
  version: z.string(),
  registration: z
    .enum(['open', 'closed', 'firstUser'])
    .describe(
      'firstUser: no user has registered yet, and the first one needs the setupSecret of the installation',
    ),
  liveTrading: z.boolean().describe('The operator lets users trade real money'),
  mailbox: z.boolean().describe('Messages are not sent by mail: they are kept on the machine of the service'),
  pushKey: z
    .string()
    .nullable()
    .describe(
      'The key with which browsers subscribe to notifications, a point of P-256 in base64url; null where they are switched off',
    ),
  heartbeatSeconds: z.number().describe('Between two heartbeats of an event stream'),
  serverTime: z.iso.datetime().describe('The clock of the service, which decides when orders are sent'),
  temporalUiUrl: z
    .string()
    .nullable()
    .describe(
      "Where Temporal's UI shows the namespace of this service; for administrators, and where the operator has set it",
    ),
})

export type AppAnswer = z.output<typeof appAnswer>

export const webAppEndpoints = endpoints({
  'GET /api/v1/app': {
    tag: 'Service',
    summary: 'Get the settings that a web app needs before sign-in',
    description:
      'No credential is required. With the JWT of an administrator the answer also has the address of Temporal’s UI.',
    answers: {
      200: {
        description: 'How this installation is set up',
        schema: appAnswer,
        examples: {
          'on one machine': {
            version: '0.1.0',
            registration: 'closed',
            liveTrading: false,
            mailbox: true,
            pushKey:
              'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            heartbeatSeconds: 15,
            serverTime: '2026-03-02T14:30:05.000Z',
            temporalUiUrl: null,
          },
        },
      },
    },
    errors: [],
  },
})

export const mailboxEndpoints = endpoints({
  'GET /mailbox': {
    tag: null,
    summary: 'Read the messages that no mail server has sent',
    // Any form: without the secret the page reveals nothing.
    query: z.looseObject({ secret: z.unknown().optional() }),
    answers: { 200: { description: 'The page', schema: null } },
    errors: ['NOT_FOUND'],
  },
})
