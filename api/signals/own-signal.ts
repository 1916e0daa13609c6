import type { Signal } from '#db/entities/index.ts'
import { findSignal } from '#db/signals/signals.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'

/** Another's is answered like an absent one. */
export async function ownSignal(caller: Caller, id: string): Promise<Signal> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const signal = await inTime(findSignal(em, principal.userId, id))
  if (!signal) throw new ApiError('SIGNAL_NOT_FOUND')
  caller.noteSignal(signal.id)
  return signal
}
