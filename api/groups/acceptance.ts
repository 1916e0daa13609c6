import { removeUnstartedGroup, noteRefusals, storeGroup, type GroupName } from '#db/signals/groups.ts'
import type { NewSignal } from '#db/signals/signals.ts'
import type { Superseded } from '#db/signals/superseding.ts'
import { NOT_STORED } from '#domain/group.ts'
import { noteStored } from '#tracing/spans.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { storedOrUndone } from '../http/undo.ts'
import { storableFor, STORED } from '../signals/acceptance.ts'
import { freshState } from '../signals/commands.ts'
import type { SignalDeps } from '../signals/deps.ts'
import { newSignal, receivedEntry } from '../signals/new-signal.ts'
import type { SignalRequest } from '../signals/schema.ts'
import { membersWithout, refusedBy, rejectionsOf, type Unstored, type WhyNot } from './judgement.ts'
import { standingGroup } from './standing.ts'
import type { GroupMember, GroupWish, StandingGroup } from './wish.ts'

/** Attempts at an identity whose groups are taken away meanwhile. */
const ATTEMPT_LIMIT = 5

/** Its new signals are not begun; members are in the order of the requests. */
export interface StoredGroup {
  outcome: 'new'
  groupId: string
  members: ({ accountId: string; stored: NewSignal } | GroupMember)[]
  superseded: string[]
}

type AcceptanceDeps = SignalDeps & { failpoint: Failpoint }

/** Each account is judged as for a signal that comes alone. Throws {@link ApiError}; then nothing is stored. */
export async function acceptGroup(
  deps: AcceptanceDeps,
  caller: Caller,
  wish: GroupWish,
): Promise<StoredGroup | StandingGroup> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { requests, source } = wish
  const name = nameOf(deps, caller, wish)
  const rejections = await rejectionsOf(caller, requests)
  const left = requests.filter((request) => !rejections.has(request))
  const beganAt = performance.now()
  for (let attempt = 1; attempt <= ATTEMPT_LIMIT; attempt++) {
    if (left.length === 0)
      return (await standingGroup(caller, name, wish)) ?? nothingNew(deps, caller, wish, rejections)
    const signals = left.map((request): NewSignal => {
      const ofGroup = { ...request, groupId: wish.id }
      return { ...newSignal(principal.userId, ofGroup, name.createdAt, deps.maxStaleness), source }
    })
    const group = {
      ...name,
      symbol: requests[0]!.symbol,
      summary: wish.summary,
      accounts: requests.length,
      supersedes: [...(wish.supersedes?.actions ?? [])],
      meantAt: wish.supersedes?.meantAt == null ? null : new Date(wish.supersedes.meantAt),
      refusals: [...rejections].map(([{ accountId }, why]) => refusedBy(accountId, why).refusal),
    }
    const judged = signals.map((signal, at) => ({
      signal,
      received: receivedEntry(signal, caller),
      ...storableFor(deps, principal, left[at]!),
    }))
    const store = async () => {
      await deps.failpoint('api.before_commit')
      return storeGroup(em, group, judged, caller.limitOfStatement())
    }
    const storing = await storedOrUndone(deps, inTime, {
      storing: store(),
      undo: () =>
        removeUnstartedGroup(
          deps.database.em.fork(),
          wish.id,
          signals.map(({ id }) => id),
        ),
    })
    if (storing.outcome === 'existing') {
      const standing = await standingGroup(caller, name, wish)
      if (standing === null) continue
      return standing
    }
    const stored = new Map<SignalRequest, NewSignal>()
    const unstored = new Map<SignalRequest, WhyNot>(rejections)
    for (const [at, request] of left.entries()) {
      const became = storing.signals[at]!
      if (became === 'stored') stored.set(request, signals[at]!)
      else unstored.set(request, became)
    }
    if (storing.outcome === 'refused') return nothingNew(deps, caller, wish, unstored)
    for (const { id } of stored.values()) noteStored(id, STORED, beganAt)
    const others = await othersOf(deps, caller, wish, unstored)
    return {
      outcome: 'new',
      groupId: wish.id,
      superseded: storing.superseded.map(({ id }) => id),
      members: inOrder(wish, [
        ...[...stored].map(([{ accountId }, signal]) => memberOf(accountId, signal, storing.superseded)),
        ...others,
      ]),
    }
  }
  throw new ApiError('SOURCE_ID_CONTENDED')
}

function memberOf(
  accountId: string,
  signal: NewSignal,
  superseded: readonly Superseded[],
): StoredGroup['members'][number] {
  const end = superseded.find(({ id }) => id === signal.id)
  if (end === undefined) return { accountId, stored: signal }
  const status = { status: 'cancelled', statusReason: 'SUPERSEDED', statusDetail: end.detail } as const
  return { accountId, signal: { ...freshState(signal), ...status } }
}

export const nameOf = (
  { now = Date.now }: SignalDeps,
  { principal }: Caller,
  wish: GroupWish,
): GroupName => ({
  id: wish.id,
  userId: principal.userId,
  tokenId: principal.tokenId,
  identity: wish.identity?.text ?? null,
  identitySeconds: wish.identity?.seconds ?? null,
  createdAt: wish.acceptedAt ?? new Date(now()),
})

async function nothingNew(
  deps: AcceptanceDeps,
  caller: Caller,
  wish: GroupWish,
  unstored: Unstored,
): Promise<StandingGroup> {
  const without = await membersWithout(deps, caller, wish, unstored)
  const members = inOrder(
    wish,
    without.map(({ member }) => member),
  )
  const outcome = members.some((member) => 'signal' in member) ? 'existing' : 'refused'
  return { outcome, groupId: null, members }
}

/** Never throws: the group is accepted, and an error would make its sender send it again. */
async function othersOf(
  deps: AcceptanceDeps,
  caller: Caller,
  wish: GroupWish,
  unstored: Unstored,
): Promise<GroupMember[]> {
  if (unstored.size === 0) return []
  try {
    const without = await membersWithout(deps, caller, wish, unstored)
    const refusals = without.map(({ refusal }) => refusal)
    await caller.beforeDatabaseDeadline(noteRefusals(caller.em, wish.id, refusals))
    return without.map(({ member }) => member)
  } catch (error) {
    const log = { err: error, requestId: caller.requestId, groupId: wish.id }
    deps.logger.warn(log, 'why accounts took no signal of a group was not found')
    return [...unstored].map(([{ accountId }, why]) =>
      why instanceof ApiError ? refusedBy(accountId, why).member : { accountId, refusal: NOT_STORED },
    )
  }
}

const inOrder = <Member extends { accountId: string }>(
  { requests }: GroupWish,
  members: Member[],
): Member[] => {
  const order = requests.map(({ accountId }) => accountId)
  return members.toSorted((a, b) => order.indexOf(a.accountId) - order.indexOf(b.accountId))
}
