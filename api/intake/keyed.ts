import { findKeyed, type RequestKey } from '#db/signals/requests.ts'
import type { Background } from '../http/background.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, databaseUnavailable } from '#contract/errors.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { storedOrUndone, untilSettled } from '../http/undo.ts'

/** The id of what an equal request with this key has begun. Throws {@link ApiError} IDEMPOTENCY_KEY_REUSED. */
export async function begunByKey(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  request: RequestKey | null,
): Promise<string | null> {
  const earlier = request && (await inTime(findKeyed(em, principal.userId, request.key)))
  if (earlier && earlier.hash !== request.hash) throw new ApiError('IDEMPOTENCY_KEY_REUSED')
  return earlier?.id ?? null
}

const heldByOthers = (): ApiError =>
  databaseUnavailable(new Error('requests with the same key come and are taken away again'))

interface ToStore<T> extends Storing<boolean> {
  /** What an equal request has begun; null where that was taken away. */
  earlier: () => Promise<T | null>
}

interface StoringDeps {
  background: Pick<Background, 'run'>
  failpoint: Failpoint
}

interface Storing<T> {
  /** Past `limit` milliseconds it has no effect any more. False where a key is taken. */
  store: (limit: number) => Promise<T>
  undo: () => Promise<unknown>
}

/** What was stored after all would be asked for a second time by a caller who was told to: it is undone. */
export function storedInTime<T>(deps: StoringDeps, caller: Caller, { store, undo }: Storing<T>): Promise<T> {
  const storing = async () => {
    await deps.failpoint('api.before_commit')
    return store(caller.limitOfStatement())
  }
  return storedOrUndone(deps, caller.beforeDatabaseDeadline, { storing: storing(), undo })
}

/**
 * Of any number of equal requests with one key exactly one stores what it asks for, and answers with null. Throws {@link ApiError}
 * DATABASE_UNAVAILABLE.
 */
export async function storeOnce<T>(
  deps: StoringDeps,
  caller: Caller,
  { store, undo, earlier }: ToStore<T>,
): Promise<T | null> {
  const settled = await untilSettled(heldByOthers, async () => {
    const isNew = await storedInTime(deps, caller, { store, undo })
    const found = isNew ? null : await earlier()
    return isNew || found !== null ? { found } : null
  })
  return settled.found
}
