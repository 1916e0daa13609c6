import type { Signal } from '#db/entities/index.ts'
import type { SignalInstants } from '#db/signals/timing.ts'
import { PHASE_SPANS, SIGNAL_INSTANTS, tookMs } from '#domain/signal-timing.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { SIGNAL_PHASES, type SignalTimingAnswer } from '#contract/signals/timing-answers.ts'

const UNTIMED = { received: 'receivedAt', exit_due: 'exitDueAt' } as const

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
    phases: SIGNAL_PHASES.map((phase) =>
      phase === 'received' || phase === 'exit_due'
        ? { phase, at: toIsoInstant(instants[UNTIMED[phase]]), tookMs: null }
        : { phase, at: toIsoInstant(instants[PHASE_SPANS[phase].until]), tookMs: tookMs(phase, times) },
    ),
  }
}
