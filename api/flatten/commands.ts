import { listAccounts } from '#db/account/accounts.ts'
import {
  findFlattening,
  insertFlattening,
  keepFlatteningNotified,
  removeUnstartedFlattening,
  type Flattening,
} from '#db/flatten/flattenings.ts'
import { readLines, type FlattenLine } from '#db/flatten/lines.ts'
import type { RequestKey } from '#db/signal/requests.ts'
import { FLATTEN_ALARM_MS } from '#domain/position/flatten.ts'
import { randomUUID } from 'node:crypto'
import { closingDenial, usesDemo } from '../access/denied-requests.ts'
import { requireWithinBounds } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { begunByKey, storeOnce } from '../intake/request.ts'
import type { OrderDeps } from '../order/commands.ts'
import type { FlattenGateway } from '../temporal/gateway.ts'
import { timeLeft, GatewayUnavailable, WorkflowOver } from '../temporal/calls.ts'

export type FlattenDeps = Pick<
  OrderDeps,
  'database' | 'background' | 'logger' | 'answerDeadline' | 'now' | 'failpoint'
> & { gateway: FlattenGateway }

export interface FlattenRequest {
  accountIds: readonly string[]
  symbols: readonly string[] | null
  reason: string | null
  ownEntriesOnly?: boolean
}

/** `isNew`: begun by this request. */
export interface Begun {
  isNew: boolean
  flattening: Flattening
  lines: FlattenLine[]
}

/** Without an account: all of the mode that the caller may act on. Throws ACCOUNT_NOT_FOUND, TOKEN_BOUNDS_EXCEEDED. */
export async function accountsToFlatten(caller: Caller, accountId: string | null): Promise<string[]> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  if (accountId !== null) {
    requireWithinBounds(principal, { accountId })
    const denial = await inTime(closingDenial(em, principal, accountId))
    if (denial) throw denial
    return [accountId]
  }
  const { accountIds } = principal.bounds
  const accounts = await inTime(listAccounts(em, principal.userId, { withRemoved: false }))
  return accounts
    .filter(({ isDemo }) => isDemo === usesDemo(principal.tradingMode))
    .map(({ id }) => id)
    .filter((id) => accountIds === undefined || accountIds.includes(id))
}

/**
 * Waits for stored orders until the answer deadline; a stored flattening completes, also after failures. One of equal
 * requests with one key begins it. Throws IDEMPOTENCY_KEY_REUSED, DATABASE_UNAVAILABLE.
 */
export async function beginFlattening(
  deps: FlattenDeps,
  caller: Caller,
  { accountIds, symbols, reason, ownEntriesOnly = false }: FlattenRequest,
  request: RequestKey | null,
): Promise<Begun> {
  const earlier = await earlierFlattening(caller, request)
  if (earlier) return { isNew: false, ...(await begun(deps, caller, earlier)) }
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { userId, tokenId, bounds } = principal
  const id = randomUUID()
  const asked = {
    ...({
      id,
      userId,
      tokenId,
      cause: 'request',
      scope: 'account',
      scopeId: null,
    } as const),
    accountIds: [...accountIds],
    symbols: symbols && [...symbols],
    includeManual: true,
    entriesOf: bounds.ownSignalsOnly || ownEntriesOnly ? tokenId : null,
    reason,
    askedBy: await caller.actorName(),
    day: null,
    closesAt: null,
    alarmAt: new Date((deps.now ?? Date.now)() + FLATTEN_ALARM_MS).toISOString(),
  }
  const stored = await storeOnce(deps, caller, {
    store: (limit) => insertFlattening(em, asked, request, limit),
    undo: () => removeUnstartedFlattening(deps.database.em.fork(), id),
    earlier: () => earlierFlattening(caller, request),
  })
  await deps.failpoint('api.after_commit')
  const flattening = stored ?? (await inTime(findFlattening(em, userId, id)))
  if (!flattening) throw new Error('a flattening that was stored is not on record')
  return { isNew: stored === null, ...(await begun(deps, caller, flattening)) }
}

async function earlierFlattening(caller: Caller, request: RequestKey | null): Promise<Flattening | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const id = await begunByKey(caller, request)
  if (id === null || !(await inTime(keepFlatteningNotified(em, id)))) return null
  return inTime(findFlattening(em, principal.userId, id))
}

async function begun(
  deps: FlattenDeps,
  caller: Caller,
  flattening: Flattening,
): Promise<Omit<Begun, 'isNew'>> {
  const { id, userId, rounds, status } = flattening
  if (rounds === 0 && status === 'working')
    try {
      await deps.gateway.beginFlattening(id, timeLeft(caller, deps))
    } catch (error) {
      if (!(error instanceof WorkflowOver)) {
        const level = error instanceof GatewayUnavailable ? 'warn' : 'error'
        const log = { err: error, requestId: caller.requestId, flattenId: id }
        deps.logger[level](log, 'a flattening was not begun before the answer was due')
      }
    }
  const { em, beforeDatabaseDeadline: inTime } = caller
  return {
    flattening: (await inTime(findFlattening(em, userId, id))) ?? flattening,
    lines: await inTime(readLines(em, [id])),
  }
}
