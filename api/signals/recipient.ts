import type { Signal } from '#db/entities/index.ts'
import type { Recipient } from '../temporal/signals.ts'
import { termsOf } from '#db/signals/terms.ts'

export const recipientOf = (signal: Signal): Recipient => ({
  signalId: signal.id,
  startWith: signal.workflowStartedAt == null ? termsOf(signal) : null,
})
