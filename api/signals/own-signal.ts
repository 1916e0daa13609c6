import type { Signal } from '#db/entities/index.ts'
import { findSignal } from '#db/signals.ts'
import { principalOf, type ApiContext } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { ApiError } from '../errors.ts'
import { isId } from '../validation/query.ts'

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
