import { countQueued } from '#db/signals/signals.ts'
import type { Failpoint } from '../http/failpoint.ts'
import type { Caller } from '../http/caller.ts'
import { senderOf } from '../http/principal.ts'
import type { WorkBounds } from '../http/work-bounds.ts'
import { repeatedRequest } from './acceptance.ts'
import { createSignal, type AcceptedSignal } from './commands.ts'
import type { SignalDeps } from './deps.ts'
import type { SignalRequest } from './schema.ts'

export interface CreationInTurnDeps extends SignalDeps {
  failpoint: Failpoint
  work: WorkBounds
  /** Signals of one user that may be without an outcome for another one to be stored without its turn. */
  begunLater: number
}

/**
 * A signal that gets no turn is stored all the same, and the supervisor begins it: many senders send nothing twice. Nothing is stored
 * for a sender who has hung up while waiting, and may have sent it again. Throws as {@link createSignal}, and {@link ApiError}
 * TOO_MANY_AT_ONCE and TOO_BUSY.
 */
export async function createInTurn(
  deps: CreationInTurnDeps,
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<AcceptedSignal> {
  const asked = performance.now()
  const noteWait = (): void => {
    caller.noteWait(performance.now() - asked)
    caller.requireSender('entries')
  }
  const createBegun = (): Promise<AcceptedSignal> => {
    noteWait()
    return createSignal(deps, caller, request, { source, begins: 'now' })
  }
  return deps.work.run('entries', senderOf(caller.principal), createBegun, async () => {
    noteWait()
    const earlier = await repeatedRequest(caller, request, source)
    if (earlier) return earlier
    const queued = countQueued(caller.em, caller.principal.userId, deps.begunLater)
    if ((await caller.beforeDatabaseDeadline(queued)) >= deps.begunLater) return null
    return createSignal(deps, caller, request, { source, begins: 'later' })
  })
}
