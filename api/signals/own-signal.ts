import type { Signal } from '#db/entities/index.ts'
import { orderByHandId } from '#db/orders/by-hand.ts'
import { findSignal } from '#db/signals/signals.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'

/** Another's is answered like an absent one. */
export async function ownSignal(caller: Caller, id: string): Promise<Signal> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const signal = await inTime(findSignal(em, principal.userId, id))
  if (!signal) throw new ApiError('SIGNAL_NOT_FOUND')
  caller.noteSignal(signal.id)
  return signal
}

/** As {@link ownSignal}. A manual order is changed and cancelled by its order, for which a token needs another scope. */
export async function ownSignalToChange(caller: Caller, id: string): Promise<Signal> {
  const signal = await ownSignal(caller, id)
  if (signal.ask == null) return signal
  throw new ApiError('SIGNAL_NOT_FOUND', {
    message: `The signal is a manual order: cancel ${orderByHandId(id)} by DELETE /api/v1/orders`,
  })
}
