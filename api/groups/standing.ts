import type { Signal } from '#db/entities/index.ts'
import { findEarlierGroup, keepGroupTold, signalsOfGroup, type GroupName } from '#db/signals/groups.ts'
import { findSignals } from '#db/signals/signals.ts'
import type { Caller } from '../http/caller.ts'
import { asExisting } from '../signals/acceptance.ts'
import type { SignalRequest } from '../signals/schema.ts'
import type { GroupMember, GroupWish, StandingGroup } from './wish.ts'

/** Once it is answered to a repetition it is not taken away any more. Null when there is none. */
export async function standingGroup(
  caller: Caller,
  name: GroupName,
  { requests }: Pick<GroupWish, 'requests'>,
): Promise<StandingGroup | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const group = await inTime(findEarlierGroup(em, name))
  if (!group || !(await inTime(keepGroupTold(em, group.id)))) return null
  const signals = await inTime(signalsOfGroup(em, principal.userId, group.id))
  const earlierIds = group.refusals.flatMap(({ signalId }) => signalId ?? [])
  const earlier = earlierIds.length === 0 ? [] : await inTime(findSignals(em, principal.userId, earlierIds))
  const asked = new Map(requests.map((request) => [request.accountId, request]))
  const own = await Promise.all(
    // A signal that goes on with a target to its other side stands behind the signal that was sent.
    signals
      .filter(({ continues }) => continues == null)
      .map((signal) => asRepeated(caller, signal, asked.get(signal.accountId))),
  )
  const others = group.refusals.map(({ accountId, code, message, signalId }): GroupMember => {
    const signal = earlier.find(({ id }) => id === signalId)
    return signal ? { accountId, signal } : { accountId, refusal: { code, message } }
  })
  const order = [...asked.keys()]
  return {
    outcome: 'existing',
    groupId: group.id,
    members: [...own, ...others].toSorted((a, b) => order.indexOf(a.accountId) - order.indexOf(b.accountId)),
  }
}

/** A sender that names its messages itself hears, as the owner does, where it has used the name for another trade. */
async function asRepeated(
  caller: Caller,
  signal: Signal,
  request: SignalRequest | undefined,
): Promise<GroupMember> {
  const { accountId } = signal
  if (!request || request.sourceId === null) return { accountId, signal }
  const { advisories } = await asExisting(caller, signal, request)
  return { accountId, signal: { ...signal, advisories: [...signal.advisories, ...advisories] } }
}
