import type { Signal } from '#db/entities/index.ts'
import type { Recipient } from '../temporal/signals.ts'
import { termsOf } from '#db/signals/terms.ts'

export const recipientOf = (signal: Signal): Recipient => ({
  signalId: signal.id,
  terms: termsOf(signal),
  status: signal.status,
})
