import type { Signal, SignalGroup } from '#db/entities/index.ts'
import { findGroup, signalsOfGroup } from '#db/signals/groups.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'

/** Its signals are the oldest first; another's group is answered like an absent one. */
export async function ownGroup(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  id: string,
): Promise<{ group: SignalGroup; signals: Signal[] }> {
  const group = await inTime(findGroup(em, principal.userId, id))
  if (!group) throw new ApiError('SIGNAL_GROUP_NOT_FOUND')
  const signals = await inTime(signalsOfGroup(em, principal.userId, id))
  return { group, signals }
}
