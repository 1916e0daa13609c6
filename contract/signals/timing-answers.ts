import { TIMED_PHASES } from '#domain/signal-timing.ts'
import { EXECUTE_MODES } from '#domain/signal.ts'
import { z } from 'zod'

/** `exit_due` is an instant, and takes no time. */
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

export const signalTimingAnswer = z
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

export const timingPercentilesAnswer = z
  .strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    accountId: z.uuid().nullable(),
    days: z.array(z.strictObject({ date: z.iso.date(), phases: z.array(phasePercentilesAnswer) })),
  })
  .meta({ id: 'TimingPercentiles' })

export type SignalTimingAnswer = z.output<typeof signalTimingAnswer>
export type TimingPercentilesAnswer = z.output<typeof timingPercentilesAnswer>
