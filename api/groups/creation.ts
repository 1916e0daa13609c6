import { countQueued, findSignal, type NewSignal } from '#db/signals/signals.ts'
import type { Caller } from '../http/caller.ts'
import { senderOf } from '../http/principal.ts'
import { recipientOf } from '../signals/recipient.ts'
import { freshState, started, type SignalSummary } from '../signals/commands.ts'
import type { CreationInTurnDeps } from '../signals/creation-in-turn.ts'
import { acceptGroup, nameOf, type StoredGroup } from './acceptance.ts'
import { standingGroup } from './standing.ts'
import type { GroupOutcome, GroupWish, StandingGroup } from './wish.ts'

interface Begun {
  group: StoredGroup | StandingGroup
  summaries: ReadonlyMap<string, SignalSummary | Promise<SignalSummary>>
}

/**
 * The first signal is begun at once and each other in a turn of its own, so that a burst of one sender does not hold up another's;
 * the supervisor begins what gets no turn. Once the group is stored nothing throws. Before that throws {@link ApiError}
 * TOO_MANY_AT_ONCE, TOO_BUSY, SOURCE_ID_CONTENDED, DATABASE_UNAVAILABLE.
 */
export async function createGroup(
  deps: CreationInTurnDeps,
  caller: Caller,
  wish: GroupWish,
): Promise<GroupOutcome> {
  const asked = performance.now()
  const noteWait = (): void => {
    caller.noteWait(performance.now() - asked)
    caller.requireSender('entries')
  }
  const sender = senderOf(caller.principal)
  const inTurn = (signal: NewSignal): Promise<SignalSummary> =>
    deps.work.run(
      'entries',
      sender,
      () => started(deps, caller, signal),
      async () => freshState(signal),
    )
  const createBegun = async (): Promise<Begun> => {
    noteWait()
    const group = await acceptGroup(deps, caller, wish)
    endWorkflows(deps, caller, group)
    const [first, ...others] = await newSignals(deps, group)
    if (first === undefined) return { group, summaries: new Map() }
    const summaries = new Map<string, SignalSummary | Promise<SignalSummary>>(
      others.map((signal) => [signal.id, inTurn(signal)]),
    )
    summaries.set(first.id, await started(deps, caller, first))
    await deps.failpoint('api.after_start')
    return { group, summaries }
  }
  const { group, summaries } = await deps.work.run('entries', sender, createBegun, async () => {
    noteWait()
    const standing = await standingGroup(caller, nameOf(deps, caller, wish), wish)
    if (standing) return { group: standing, summaries: new Map() }
    const queued = countQueued(caller.em, caller.principal.userId, deps.begunLater)
    if ((await caller.beforeDatabaseDeadline(queued)) + wish.requests.length > deps.begunLater) return null
    const stored = await acceptGroup(deps, caller, wish)
    endWorkflows(deps, caller, stored)
    const signals = await newSignals(deps, stored)
    return { group: stored, summaries: new Map(signals.map((signal) => [signal.id, freshState(signal)])) }
  })
  if (group.outcome !== 'new') return group
  const members = group.members.map(async (member) => {
    if (!('stored' in member)) return member
    return { accountId: member.accountId, signal: await summaries.get(member.stored.id)! }
  })
  return { ...group, members: await Promise.all(members) }
}

/** The ledger lets no order of these signals out; a workflow that hears nothing ends when its signal would have expired. */
function endWorkflows(deps: CreationInTurnDeps, caller: Caller, group: StoredGroup | StandingGroup): void {
  if (group.outcome !== 'new') return
  const own = new Set(group.members.flatMap((member) => ('signal' in member ? [member.signal.id] : [])))
  for (const signalId of group.superseded.filter((id) => !own.has(id)))
    deps.background.run('end of a superseded signal', async () => {
      const signal = await findSignal(deps.database.em.fork(), caller.principal.userId, signalId)
      if (signal !== null)
        await deps.gateway.withdraw(
          recipientOf(signal),
          { by: await caller.actorName(), superseded: signal.statusDetail ?? '' },
          END_WITHIN_MS,
        )
    })
}

/** Milliseconds for the message to the workflow of a superseded signal. */
const END_WITHIN_MS = 5_000

async function newSignals(
  { failpoint }: CreationInTurnDeps,
  group: StoredGroup | StandingGroup,
): Promise<NewSignal[]> {
  if (group.outcome !== 'new') return []
  await failpoint('api.after_commit')
  return group.members.flatMap((member) => ('stored' in member ? member.stored : []))
}
