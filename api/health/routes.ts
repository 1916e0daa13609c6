import { z } from 'zod'
import { anyone } from '../access/policy.ts'
import { requestIdAnswer } from '../http/envelopes.ts'
import { EXAMPLE_REQUEST_ID } from '../http/examples.ts'
import { VERSION } from '../http/version.ts'
import { Reply, route } from '../route/route.ts'
import type { Readiness } from './readiness.ts'

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

const readiness = (description: string, words: string, venue: 'up' | 'down') => ({
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

/**
 * Open to anybody, so they tell which parts are up and no more. /healthz: the process runs. /readyz: a
 * signal sent now would become an order, and nothing that is due is late by the fault of the service itself.
 */
export const serviceRoutes = [
  route({
    name: 'GET /',
    access: anyone('default'),
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
    run: ({ caller: { requestId } }) => ({
      name: 'durable-trader',
      version: VERSION,
      links: {
        reference: '/docs',
        description: '/openapi.json',
        signals: '/api/v1/signals',
        health: '/healthz',
        readiness: '/readyz',
      },
      requestId,
    }),
  }),
  route({
    name: 'GET /healthz',
    // Probes ask often, and must be answered while nothing can be counted and others from their address ask for much.
    access: anyone(null, { work: null }),
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
    run: () => ({ status: 'ok' as const }),
  }),
  route({
    name: 'GET /readyz',
    access: anyone(null, { work: null }),
    tag: 'Service',
    summary: 'Tell whether a signal sent now would become an order',
    description: 'A worker that died shows as down within five seconds.',
    answers: {
      200: readiness('Every part is there', 'ready', 'up'),
      503: readiness('A part is missing', 'not ready', 'down'),
    },
    errors: [],
    run: async ({ caller: { requestId } }, deps: { checkReadiness: () => Promise<Readiness> }) => {
      const { parts, overdue } = await deps.checkReadiness()
      const down: string[] = Object.entries(parts).flatMap(([part, state]) =>
        state === 'down' ? [part] : [],
      )
      if (overdue !== null && overdue.ours > 0) down.push('overdue')
      const isReady = down.length === 0
      const status = isReady ? 'ready' : 'not ready'
      return new Reply(isReady ? 200 : 503, {
        status,
        down,
        parts,
        overdue: overdue?.total ?? null,
        requestId,
      })
    },
  }),
]
