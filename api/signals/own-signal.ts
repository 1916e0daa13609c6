import type { Signal } from '#db/entities/index.ts'
import { findSignal } from '#db/signals/signals.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { ApiError } from '../http/errors.ts'
import { isId } from '../http/validation/query.ts'

/** The caller's signal that the path names; another's is answered like an absent one. */
export async function ownSignal(ctx: ApiContext): Promise<Signal> {
  const { id } = ctx.params
  const signal = isId(id)
    ? await beforeDatabaseDeadline(ctx, findSignal(ctx.state.em, principalOf(ctx).userId, id))
    : null
  if (!signal) throw new ApiError('SIGNAL_NOT_FOUND')
  ctx.state.signalId = signal.id
  return signal
}
