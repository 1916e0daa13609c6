import type { Signal } from '#db/entities/index.ts'
import type { SignalInstants } from '#db/signals/timing.ts'
import { SIGNAL_INSTANTS, tookMs } from '#domain/signal-timing.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { SIGNAL_PHASES, type SignalTimingAnswer } from './timing-answers.ts'

const ENDS = {
  received: 'receivedAt',
  checked: 'checkedAt',
  sent: 'sentAt',
  acknowledged: 'acknowledgedAt',
  filled: 'filledAt',
  exit_due: 'exitDueAt',
  exit_sent: 'exitSentAt',
  closed: 'exitFilledAt',
} as const

export function presentTiming(
  { id, executeMode }: Pick<Signal, 'id' | 'executeMode'>,
  instants: SignalInstants,
): SignalTimingAnswer {
  const times = Object.fromEntries(SIGNAL_INSTANTS.map((name) => [name, instants[name]?.getTime() ?? null]))
  return {
    signalId: id,
    executeMode,
    startedAt: toIsoInstant(instants.startedAt),
    totalMs: tookMs('total', times),
    phases: SIGNAL_PHASES.map((phase) => ({
      phase,
      at: toIsoInstant(instants[ENDS[phase]]),
      tookMs: phase === 'received' || phase === 'exit_due' ? null : tookMs(phase, times),
    })),
  }
}
