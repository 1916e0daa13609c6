import { z } from 'zod'
import { requestIdAnswer } from '../http/envelopes.ts'
import { EXAMPLE_REQUEST_ID } from '../http/examples.ts'
import type { Answer, Operations } from '../http/operation.ts'

const state = z.enum(['up', 'down'])
const readinessAnswer = z.strictObject({
  status: z.enum(['ready', 'not ready']),
  down: z
    .array(z.string())
    .describe('Parts that are, and `overdue` when something due is late by the fault of the service itself'),
  parts: z.strictObject({ database: state, temporal: state, worker: state, venue: state }),
  overdue: z
    .int()
    .min(0)
    .nullable()
    .describe(
      'Exits, entries and other work that was due over 15 seconds ago and is not done; null when that cannot be told',
    ),
  requestId: requestIdAnswer,
})

const readiness = (description: string, words: string, venue: 'up' | 'down'): Answer => ({
  description,
  schema: readinessAnswer,
  examples: {
    [words]: {
      status: venue === 'up' ? 'ready' : 'not ready',
      down: venue === 'up' ? [] : ['venue'],
      parts: { database: 'up', temporal: 'up', worker: 'up', venue },
      overdue: 0,
      requestId: EXAMPLE_REQUEST_ID,
    },
  },
})

/** The routes about the service itself, for the description of the API. */
export const serviceOperations: Operations = {
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
  'GET /openapi.json': {
    tag: 'Service',
    summary: 'Show this description',
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document',
        schema: z.looseObject({ openapi: z.string() }),
        examples: { beginning: { openapi: '3.1.1' } },
      },
    },
    errors: [],
  },
}
