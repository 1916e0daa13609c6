import { findHookHolder } from '#db/hooks/holders.ts'
import { endHookRequest, leftHookRequests, noteTry, type StoredHookRequest } from '#db/hooks/requests.ts'
import { principalOfHook } from '../../access/hook-credential.ts'
import type { Refusals } from '../../access/refusals.ts'
import { LEFT_AFTER_MS } from './carry-out.ts'
import type { Row } from '../../supervisor/supervisor.ts'
import type { IntakeDeps } from './deps.ts'
import { NOTHING_ELSE } from './look-ahead.ts'
import { bringToEnd } from './receive.ts'

const LEFT_MESSAGES = { most: 100, mostOfPerson: 20, restMs: 4_000 }

/** Requests of hooks whose process has died, or that could not be ended. */
export function leftMessages(deps: IntakeDeps & { refusals: Refusals }): Row {
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

  return {
    name: 'messages of hooks',
    // The ledger keeps when each was tried, so that whose turn it is is the same for every process.
    async find() {
      if (!deps.signalsEnabled) return []
      const before = new Date((deps.now ?? Date.now)() - LEFT_AFTER_MS)
      const left = await leftHookRequests(database.em.fork(), before, LEFT_MESSAGES)
      return left.map((request) => ({
        id: request.id,
        name: `message ${request.id}`,
        async carryOut() {
          await noteTry(database.em.fork(), request.id)
          await finish(request)
        },
      }))
    },
  }
}
