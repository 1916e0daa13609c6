import { ApiError } from '../http/errors.ts'
import type { Failpoint } from '../http/failpoint.ts'
import type { Caller } from '../http/caller.ts'
import { senderOf } from '../http/principal.ts'
import { runBounded, type WorkBounds } from '../http/work-bounds.ts'
import { repeatedRequest } from './acceptance.ts'
import { createSignal, type AcceptedSignal } from './commands.ts'
import type { SignalDeps } from './deps.ts'
import type { SignalRequest } from './schema.ts'

/**
 * Creates a signal when its sender's turn comes: of a flood, those that are taken are answered and sent fast, and the others
 * are refused before anything is stored. A request that repeats one which was accepted gets its answer all the same.
 *
 * @param source the text of the request's body, without secrets
 *
 * Throws as {@link createSignal}, and {@link ApiError} TOO_MANY_AT_ONCE and TOO_BUSY.
 */
export async function createInTurn(
  deps: SignalDeps & { failpoint: Failpoint; work: WorkBounds },
  caller: Caller,
  request: SignalRequest,
  source: string,
): Promise<AcceptedSignal> {
  try {
    return await runBounded(deps.work, 'entries', senderOf(caller.principal), caller, () =>
      createSignal(deps, caller, request, source),
    )
  } catch (error) {
    const earlier = isTurnedAway(error) ? await repeatedRequest(caller, request) : null
    if (earlier) return { ...earlier, replaced: null }
    throw error
  }
}

const isTurnedAway = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'TOO_MANY_AT_ONCE' || error.code === 'TOO_BUSY')
