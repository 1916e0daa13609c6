import { endpoints } from '../endpoint.ts'
import { z } from 'zod'
import { requestIdAnswer } from '../envelopes.ts'
import { EXAMPLE_REQUEST_ID } from '../examples.ts'

const state = z.enum(['up', 'down'])

const count = (description: string) =>
  z.int().min(0).nullable().describe(`${description}; null when that cannot be told`)

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

export const readiness = (description: string, words: string, venue: 'up' | 'down') => ({
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
    summary: 'Show what this is and where to go',
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
    summary: 'Tell whether the process runs',
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
    summary: 'Tell whether a signal sent now would become an order',
    description: 'A worker that died shows as down within five seconds.',
    answers: {
      200: readiness('Every part is there', 'ready', 'up'),
      503: readiness('A part is missing', 'not ready', 'down'),
    },
    errors: [],
  },
})
