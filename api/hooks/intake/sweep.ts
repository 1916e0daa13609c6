import { periodically, type Part } from '#config/periodically.ts'
import { findHookHolder } from '#db/hooks/holders.ts'
import { endHookRequest, leftHookRequests, noteTry, type StoredHookRequest } from '#db/hooks/requests.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import { principalOfHook } from '../../access/hook-credential.ts'
import type { Refusals } from '../../access/refusals.ts'
import { LEFT_AFTER_MS } from './carry-out.ts'
import type { IntakeDeps } from './deps.ts'
import { NOTHING_ELSE } from './look-ahead.ts'
import { bringToEnd } from './receive.ts'

const HOOK_SWEEP_EVERY_MS = 2_000
/** Milliseconds after which a sweep begins nothing more, so that the next one looks whose turn it is. */
const HOOK_SWEEP_LASTS_MS = 10_000
const SWEPT = { most: 100, mostOfPerson: 20, restMs: HOOK_SWEEP_EVERY_MS * 2 }
const SWEPT_AT_A_TIME = 4

export interface HookSweep extends Part {
  sweep(stopping?: AbortSignal): Promise<void>
}

/** Ends requests whose process has died, or that could not be ended. Idempotent, so several processes may sweep at once. */
export function createHookSweep(deps: IntakeDeps & { refusals: Refusals }): HookSweep {
  const { database, logger, refusals } = deps

  async function finish(request: StoredHookRequest): Promise<void> {
    const found = await findHookHolder(database.em.fork(), request.hookId, null, null)
    if (found === null) {
      const words = 'The hook was revoked before its request could be carried out; nothing was done'
      const end = { ...NOTHING_ELSE, outcome: 'refused', code: 'SENDER_REVOKED', message: words } as const
      await endHookRequest(database.em.fork(), request.id, end, null)
      return
    }
    const { holder } = found
    const caller = {
      principal: principalOfHook(holder),
      requestId: request.id,
      ip: request.ip,
      receivedAt: performance.now(),
    }
    const { outcome } = await bringToEnd(deps, caller, holder, request)
    if (outcome.code !== null) refusals.refused(holder.hookId, outcome.code, outcome.message)
    logger.info(
      { hookId: holder.hookId, hookRequestId: request.id, outcome: outcome.outcome },
      'a message of a hook was carried out late',
    )
  }

  async function sweep(stopping?: AbortSignal): Promise<void> {
    if (!deps.signalsEnabled) return
    const until = performance.now() + HOOK_SWEEP_LASTS_MS
    const before = new Date((deps.now ?? Date.now)() - LEFT_AFTER_MS)
    const left = await leftHookRequests(database.em.fork(), before, SWEPT)
    await forEachAtMost(SWEPT_AT_A_TIME, left, async (request) => {
      if (stopping?.aborted || performance.now() > until) return
      try {
        await noteTry(database.em.fork(), request.id)
        await finish(request)
      } catch (error) {
        logger.warn(
          { err: error, hookRequestId: request.id },
          'a message of a hook could not be carried out; it is tried again',
        )
      }
    })
  }

  return { ...periodically('the sweep of hooks', HOOK_SWEEP_EVERY_MS, sweep, logger), sweep }
}
