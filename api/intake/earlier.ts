import type { Signal } from '#db/entities/index.ts'
import { raiseAlertOnce } from '#db/risk/alerts.ts'
import { findEarlierGroup, signalsOfGroup } from '#db/signals/groups.ts'
import type { NamedRequest } from '#db/signals/requests.ts'
import { findLiveBySource, findRepeated, findSignal, findSignals, keepTold } from '#db/signals/signals.ts'
import { REPEATED_BODY } from '#domain/advisory.ts'
import { isAnotherTrade, sourceIdReused } from '#domain/source-id.ts'
import type { Caller } from '../http/caller.ts'
import { payloadHashOf } from '../signals/payload-hash.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'
import { inOrder, namedBy } from './names.ts'
import type { Existing, Outcome, Member, Wish } from './wish.ts'

/** What an equal request has begun before, and stays; null where there is none. */
export async function earlierOutcome(
  caller: Caller,
  { requests, source, group, acceptedAt = new Date() }: Wish,
): Promise<Outcome | null> {
  if (group !== null) return earlierGroup(caller, namedBy(caller.principal, group, acceptedAt), requests)
  const [request] = requests as [SignalRequest]
  const earlier = await earlierSignal(caller, request, source)
  const member = earlier && { accountId: request.accountId, ...earlier }
  return member && { outcome: 'existing', groupId: null, members: [member] }
}

export async function earlierGroup(
  caller: Caller,
  name: NamedRequest,
  requests: readonly SignalRequest[],
): Promise<Outcome | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const group = await inTime(findEarlierGroup(em, name))
  if (group === null) return null
  const signals = await inTime(signalsOfGroup(em, principal.userId, group.id))
  const ids = signals.map(({ id }) => id)
  if (ids.length === 0 || !(await inTime(keepTold(em, ids)))) return null
  const earlierIds = group.refusals.flatMap(({ signalId }) => signalId ?? [])
  const earlier = earlierIds.length === 0 ? [] : await inTime(findSignals(em, principal.userId, earlierIds))
  const asked = new Map(requests.map((request) => [request.accountId, request]))
  const own = await Promise.all(
    // A signal that goes on with a target to its other side stands behind the signal that was sent.
    signals
      .filter(({ continues }) => continues == null)
      .map(async (signal) => {
        const request = asked.get(signal.accountId)
        // A sender that names its messages itself hears, as the owner does, where it has used the name for another trade.
        const isNamed = request !== undefined && request.sourceId !== null
        const found = isNamed ? await asExisting(caller, signal, request) : existing(signal)
        return { accountId: signal.accountId, ...found }
      }),
  )
  const others = group.refusals.map(({ accountId, code, message, signalId }): Member => {
    const signal = earlier.find(({ id }) => id === signalId)
    return signal
      ? { accountId, ...existing(signal) }
      : { accountId, outcome: 'refused', refusal: { code, message }, error: null }
  })
  return { outcome: 'existing', groupId: group.id, members: inOrder(requests, [...own, ...others]) }
}

/** A repeated request is answered with the existing signal, even if a rule would deny it today. */
export async function earlierSignal(
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<Existing | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { userId, tokenId } = principal
  if (request.sourceId === null) {
    const id = tokenId && (await inTime(findRepeated(em, tokenId, request.accountId, source)))
    const repeated = id && (await inTime(findSignal(em, userId, id)))
    return repeated && (await stays(caller, repeated)) ? existing(repeated, [BY_ITS_BODY]) : null
  }
  if (request.replaceExisting) return null
  const holder = await holderOfSource(caller, request)
  return holder && asExisting(caller, holder, request)
}

/** Null also where it is about to be taken away. */
export async function holderOfSource(
  caller: Caller,
  { accountId, sourceId }: SignalRequest,
): Promise<Signal | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  if (sourceId === null) return null
  const holder = await inTime(findLiveBySource(em, principal.userId, accountId, sourceId))
  return holder && (await stays(caller, holder)) ? holder : null
}

/** A signal that nobody has begun may be about to be taken away (`storedOrUndone()`): its sender was told that it was not stored. */
const stays = async ({ em, beforeDatabaseDeadline: inTime }: Caller, signal: Signal): Promise<boolean> =>
  signal.workflowStartedAt != null || (await inTime(keepTold(em, [signal.id])))

const BY_ITS_BODY = {
  code: REPEATED_BODY,
  message: `The same body came by this token less than 30 seconds before, without sourceId: by the token's setting mergesRepeats both are one signal, and nothing was sent for this request. Send a sourceId of its own with every trade if both are wanted`,
}

const existing = (signal: Signal, advisories: Existing['advisories'] = []): Existing => ({
  outcome: 'existing',
  signal,
  asked: null,
  advisories,
})

/** A request for another trade than that of the signal which holds its sourceId is lost: the owner gets an alert. */
async function asExisting(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  signal: Signal,
  request: SignalRequest,
): Promise<Existing> {
  if (signal.payloadHash === payloadHashOf(request)) return existing(signal)
  const { symbol, action, quantity, quantityType } = request
  const asked = { symbol, action, quantity, quantityType }
  const isAnother = isAnotherTrade(signal, asked)
  if (isAnother) await inTime(raiseAlertOnce(em, signal.id, sourceIdReused(request.sourceId!, signal, asked)))
  const message = isAnother
    ? 'The existing signal with this sourceId is for another trade than this request: send a sourceId of its own with every trade'
    : 'The existing signal with this sourceId asks for something else than this request'
  const advisories = [{ code: 'source_id_payload_mismatch', message }]
  return { ...existing(signal, advisories), asked: isAnother ? asked : null }
}
