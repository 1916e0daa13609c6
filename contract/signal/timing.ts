import { addDays } from '#domain/time/wall-time.ts'
import { z } from 'zod'
import { fault, validationError } from '../errors.ts'
import { localDate } from '../values/instants.ts'
import { uuid } from '../values/values.ts'
import { TIMED_PHASES } from '#domain/signal/timing.ts'
import { EXECUTE_MODES } from '#domain/signal/signal.ts'
import { endpoints, idOf } from '../endpoint.ts'
import { EXAMPLE_SIGNAL } from './examples.ts'

const MOST_DAYS = 92
const USUAL_DAYS = 7
/** The first day that PostgreSQL reads in this form. */
const FIRST_DAY = '0001-01-01'

const timingQuery = z.strictObject({
  from: localDate().describe('The first day; six days before `to` when left out').optional(),
  to: localDate().describe('The last day, included; today when left out').optional(),
  accountId: uuid().describe('Signals of this account alone').optional(),
})

/** Throws {@link ApiError} VALIDATION_ERROR. `today`: the day of the exchange. */
export function daysAskedFor(
  asked: { from?: string | undefined; to?: string | undefined },
  today: string,
): { from: string; to: string } {
  const { to = today } = asked
  const usual = addDays(to, 1 - USUAL_DAYS)
  const { from = usual < FIRST_DAY ? FIRST_DAY : usual } = asked
  if (from > to) throw validationError([fault(['from'], 'wrong_order', `from must not be later than ${to}`)])
  if (from < addDays(to, 1 - MOST_DAYS))
    throw validationError([
      fault(['from'], 'too_many_days', `from must be less than ${MOST_DAYS} days before ${to}`),
    ])
  return { from, to }
}

export const SIGNAL_PHASES = [
  'received',
  'checked',
  'sent',
  'acknowledged',
  'filled',
  'exit_due',
  'exit_sent',
  'closed',
] as const

const milliseconds = (meaning: string) => z.number().nonnegative().nullable().describe(meaning)

const phaseAnswer = z
  .strictObject({
    phase: z.enum(SIGNAL_PHASES),
    at: z.iso.datetime().nullable().describe('When it ended; of an exit that is planned, when it is due'),
    tookMs: milliseconds('Milliseconds since it could begin; null where it has not ended, or takes no time'),
  })
  .meta({ id: 'SignalPhase' })

const signalTimingAnswer = z
  .strictObject({
    signalId: z.uuid(),
    executeMode: z.enum(EXECUTE_MODES),
    startedAt: z.iso
      .datetime()
      .nullable()
      .describe(
        'When the service began to work on it: its receipt, its approval, or the time that it was scheduled for',
      ),
    totalMs: milliseconds("Milliseconds from there until the broker's acceptance of the entry was known"),
    phases: z.array(phaseAnswer).length(SIGNAL_PHASES.length),
  })
  .meta({ id: 'SignalTiming' })

const percentile = () => z.number().nonnegative()

const phasePercentilesAnswer = z
  .strictObject({
    phase: z.enum(TIMED_PHASES),
    count: z.int().positive().describe('Signals that have been through the phase'),
    p50Ms: percentile().describe('Milliseconds that half of them took at most'),
    p95Ms: percentile(),
    p99Ms: percentile(),
  })
  .meta({ id: 'PhasePercentiles' })

const timingPercentilesAnswer = z
  .strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    accountId: z.uuid().nullable(),
    days: z.array(z.strictObject({ date: z.iso.date(), phases: z.array(phasePercentilesAnswer) })),
  })
  .meta({ id: 'TimingPercentiles' })

export type SignalTimingAnswer = z.output<typeof signalTimingAnswer>
type TimingPercentilesAnswer = z.output<typeof timingPercentilesAnswer>

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
    summary: 'Get the duration of the phases of signals, by day',
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
    summary: 'Get the time and duration of each phase of a signal',
    description:
      'All phases, in the order in which they follow each other. An exit is due at the time that its first order was planned for.',
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
