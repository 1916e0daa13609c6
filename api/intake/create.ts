import type { NewSignal } from '#db/signal/storing.ts'
import type { Caller } from '../http/caller.ts'
import { senderOf } from '../http/principal.ts'
import { freshState, recipientOf } from '../signal/new-signal.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import type { SignalRequest } from '#contract/signal/request.ts'
import { earlierOutcome } from './earlier.ts'
import { accept, type Acceptance } from './accept.ts'
import type { Existing, TradeRequest, SignalSummary, Accepted, Outcome } from './request.ts'
import { countQueued, findSignal } from '#db/signal/signals.ts'
import { termsOf } from '#db/signal/terms.ts'
import { noteStored } from '#tracing/spans.ts'
import type { Failpoint } from '../http/failpoint.ts'
import type { WorkBounds } from '../http/work-bounds.ts'
import { timeLeft, GatewayUnavailable, WorkflowOver } from '../temporal/calls.ts'

/** Span name in traces. */
const STORED = { name: 'store signal' }

export interface CreationDeps extends SignalDeps {
  failpoint: Failpoint
  work: WorkBounds
  /** Limit of a user's signals without an outcome; below it the next skips the queue. */
  begunLater: number
}

/** Creates a signal for one account. Throws as {@link create}, and the denial's {@link ApiError}. */
export async function createOne(
  deps: CreationDeps,
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<Accepted | Existing> {
  const { members } = await create(deps, caller, { requests: [request], source, group: null })
  const [member] = members
  if (member!.outcome === 'refused') throw member!.error!
  return member as Accepted | Existing
}

/**
 * A stored signal is accepted, also after failures; the supervisor starts the rest, since many senders never resend. Further
 * signals queue, so that a burst does not delay other senders. Nothing is stored for a sender who hung up in the queue.
 * Waits for immediate entries until the answer deadline. Throws TOO_MANY_AT_ONCE, TOO_BUSY, and as `accept()`.
 */
export async function create(
  deps: CreationDeps,
  caller: Caller,
  tradeRequest: TradeRequest,
): Promise<Outcome> {
  const asked = performance.now()
  const noteWait = (): void => {
    caller.noteWait(performance.now() - asked)
    caller.requireSender('entries')
  }
  const sender = senderOf(caller.principal)
  const begun = new Map<string, Promise<SignalSummary>>()
  const store = async (): Promise<Acceptance> => {
    const beganAt = performance.now()
    const accepted = await accept(deps, caller, tradeRequest)
    for (const member of accepted.members)
      // An undecided signal's trace continues once it is recorded.
      if (member.outcome === 'new' || member.outcome === 'undecided')
        noteStored(member.signal.id, STORED, beganAt)
    endWorkflows(deps, caller, accepted)
    if (accepted.unbegun.length > 0) await deps.failpoint('api.after_commit')
    return accepted
  }
  const createBegun = async (): Promise<Outcome> => {
    noteWait()
    const accepted = await store()
    const [first, ...others] = accepted.unbegun
    if (first === undefined) return accepted
    for (const signal of others) {
      const start = () => started(deps, caller, signal)
      begun.set(
        signal.id,
        deps.work.run('entries', sender, start, async () => freshState(signal)),
      )
    }
    begun.set(first.id, Promise.resolve(await started(deps, caller, first)))
    await deps.failpoint('api.after_start')
    return accepted
  }
  const outcome = await deps.work.run('entries', sender, createBegun, async () => {
    noteWait()
    const earlier = await earlierOutcome(caller, tradeRequest)
    if (earlier) return earlier
    const queued = countQueued(caller.em, caller.principal.userId, deps.begunLater)
    if ((await caller.beforeDatabaseDeadline(queued)) + tradeRequest.requests.length > deps.begunLater)
      return null
    return store()
  })
  const members = outcome.members.map(async (member) => {
    if (member.outcome !== 'new') return member
    const signal = (await begun.get(member.signal.id)) ?? member.signal
    return { ...member, signal, advisories: [...signal.advisories, ...member.advisories] }
  })
  return { ...outcome, members: await Promise.all(members) }
}

/** The ledger sends no order of these; without the message a workflow ends when its signal expires. */
function endWorkflows(deps: CreationDeps, caller: Caller, { members, superseded }: Acceptance): void {
  const own = new Set(members.flatMap((member) => ('signal' in member ? [member.signal.id] : [])))
  for (const signalId of superseded.filter((id) => !own.has(id)))
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

/** Milliseconds. */
const END_WITHIN_MS = 5_000

/** Never throws: after an error the sender would resend the accepted signal. */
async function started(deps: SignalDeps, caller: Caller, signal: NewSignal): Promise<SignalSummary> {
  const fresh = freshState(signal)
  const log = { requestId: caller.requestId, signalId: signal.id }
  const { gateway, logger } = deps
  const left = timeLeft(caller, deps)
  try {
    if (signal.executeMode !== 'immediate') {
      await gateway.start(termsOf(signal), left)
      return fresh
    }
    const { status, orderId, reason, detail, advisories } = await gateway.startAndAwaitEntry(
      termsOf(signal),
      left,
    )
    const known = [...fresh.advisories, ...(advisories ?? [])]
    return { ...fresh, status, orderId, statusReason: reason, statusDetail: detail, advisories: known }
  } catch (error) {
    const level = error instanceof GatewayUnavailable ? 'warn' : 'error'
    if (!(error instanceof WorkflowOver))
      logger[level](
        { ...log, err: error },
        'the signal was not started, or its entry had no outcome, before the answer was due',
      )
  }
  try {
    const look = findSignal(caller.em, signal.userId, signal.id)
    return (await caller.beforeDatabaseDeadline(look)) ?? fresh
  } catch (error) {
    logger.warn({ ...log, err: error }, 'the signal could not be read again')
    return fresh
  }
}
