import { endpoints, idOf } from '../endpoint.ts'
import { EXAMPLE_SIGNAL } from './examples.ts'
import {
  signalTimingAnswer,
  timingPercentilesAnswer,
  type SignalTimingAnswer,
  type TimingPercentilesAnswer,
} from './timing-answers.ts'
import { timingQuery } from './timing-schema.ts'

const TIMING: SignalTimingAnswer = {
  signalId: EXAMPLE_SIGNAL.id,
  executeMode: 'immediate',
  startedAt: '2026-03-02T15:00:00.120Z',
  totalMs: 120,
  phases: [
    { phase: 'received', at: '2026-03-02T15:00:00.120Z', tookMs: null },
    { phase: 'checked', at: '2026-03-02T15:00:00.171Z', tookMs: 51 },
    { phase: 'sent', at: '2026-03-02T15:00:00.180Z', tookMs: 9 },
    { phase: 'acknowledged', at: '2026-03-02T15:00:00.240Z', tookMs: 60 },
    { phase: 'filled', at: '2026-03-02T15:00:00.870Z', tookMs: 630 },
    { phase: 'exit_due', at: '2026-03-02T20:45:00.000Z', tookMs: null },
    { phase: 'exit_sent', at: null, tookMs: null },
    { phase: 'closed', at: null, tookMs: null },
  ],
}

const PERCENTILES: TimingPercentilesAnswer = {
  from: '2026-02-24',
  to: '2026-03-02',
  accountId: null,
  days: [
    {
      date: '2026-03-02',
      phases: [
        { phase: 'checked', count: 212, p50Ms: 48.2, p95Ms: 96.714, p99Ms: 140.05 },
        { phase: 'total', count: 208, p50Ms: 118.4, p95Ms: 244.9, p99Ms: 391.221 },
      ],
    },
  ],
}

export const timingEndpoints = endpoints({
  'GET /api/v1/signals/timing': {
    tag: 'Signals',
    summary: 'Show how long the phases of signals took, by day',
    description: `Percentiles of each phase over the signals that were received on a day of the exchange. \`total\` is from
the start of a signal, which is its receipt, its approval or its scheduled time, until the broker's acceptance was known.
\`checked\` includes the wait behind earlier signals of the same symbol, \`filled\` and \`closed\` that in the market.
Fills are by the broker's clock. At most 92 days; a day or a phase without signals is absent.`,
    query: timingQuery,
    answers: {
      200: {
        description: 'The days, oldest first',
        schema: timingPercentilesAnswer,
        examples: { 'one day': PERCENTILES },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'GET /api/v1/signals/:id/timing': {
    tag: 'Signals',
    summary: 'Show when each phase of a signal was, and how long it took',
    description:
      'Every phase is named, in the order in which they follow each other. An exit is due by the plan that its first order followed.',
    path: { id: idOf('SIGNAL_NOT_FOUND') },
    answers: {
      200: {
        description: 'The phases',
        schema: signalTimingAnswer,
        examples: { 'filled, its exit planned': TIMING },
      },
    },
    errors: ['SIGNAL_NOT_FOUND'],
  },
})
