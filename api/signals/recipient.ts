import type { Signal } from '#db/entities/index.ts'
import type { Recipient } from '../temporal/signals.ts'
import { termsOf } from '#db/signals/terms.ts'

/** Where messages about a stored signal go: to its workflow, which is started with them if nobody has yet. */
export const recipientOf = (signal: Signal): Recipient => ({
  signalId: signal.id,
  startWith: signal.workflowStartedAt == null ? termsOf(signal) : null,
})
