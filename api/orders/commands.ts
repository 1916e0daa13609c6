import { listPositions } from '#db/accounts/positions.ts'
import type { Database } from '#db/engine/database.ts'
import {
  findManualOrders,
  findManualOrderTerms,
  findKeyedRequest,
  insertManualOrders,
  keepOrdersTold,
  removeUnstartedManualOrders,
  type ManualOrderState,
  type RequestKey,
} from '#db/orders/manual-orders.ts'
import { multiply } from '#domain/decimal.ts'
import { exceededBounds } from '#domain/token-bounds.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import { placedEntry } from '#domain/timeline.ts'
import { noteStored } from '#tracing/spans.ts'
import { describeManualOrder } from '#workflows/steps/describe.ts'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { closingDenial, openingDenial } from '../access/account-denial.ts'
import { requireWithinBounds, tokenBoundsExceeded } from '../access/token-bounds.ts'
import { ApiError } from '../http/errors.ts'
import type { Background } from '../http/background.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { storedOrUndone } from '../http/undo.ts'
import type { OrderGateway } from '../temporal/orders.ts'
import { GatewayUnavailable, WorkflowOver } from '../temporal/signals.ts'
import type { Caller } from '../http/caller.ts'
import type { Principal } from '../http/principal.ts'
import { timeLeft } from '../temporal/time-left.ts'
import type { OrderWish } from './schema.ts'

/** Attempts at a key whose orders are taken away meanwhile. */
const KEY_ATTEMPT_LIMIT = 5

export interface OrderDeps {
  /** In the name of the service. */
  database: Database
  background: Background
  gateway: OrderGateway
  logger: Logger
  /** Milliseconds from its arrival within which a request is answered. */
  answerDeadline: number
  /** Milliseconds after it was placed in which an order may still be sent. */
  maxStaleness: number
  /** Milliseconds since the epoch by PostgreSQL's clock; by that of the process when left out. */
  now?: () => number
  failpoint: Failpoint
}

export interface Placement {
  outcome: 'new' | 'repeated'
  orders: ManualOrderState[]
}

/** Waits for those that are on their way, as the first request does. Throws {@link ApiError} IDEMPOTENCY_KEY_REUSED. */
export async function earlierPlacement(
  deps: OrderDeps,
  caller: Caller,
  request: RequestKey | null,
): Promise<Placement | null> {
  if (request === null) return null
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const earlier = await inTime(findKeyedRequest(em, principal.userId, request.key))
  if (!earlier) return null
  if (earlier.hash !== request.hash) throw new ApiError('IDEMPOTENCY_KEY_REUSED')
  // Orders that nobody has begun may be about to be taken away, because their sender was told that they were not stored.
  if (earlier.orderIds.length > 0 && !(await inTime(keepOrdersTold(em, earlier.orderIds)))) return null
  const standings = await inTime(findManualOrders(em, principal.userId, earlier.orderIds))
  const underWay = standings.filter(isOnItsWay)
  const terms = await Promise.all(
    underWay.map(({ orderId }) => inTime(findManualOrderTerms(em, principal.userId, orderId))),
  )
  await awaitPlacements(
    deps,
    caller,
    terms.flatMap((found) => found?.terms ?? []),
  )
  const orders = underWay.length === 0 ? standings : await lookAgain(deps, caller, standings)
  return { outcome: 'repeated', orders }
}

/** Throws {@link ApiError} TOKEN_BOUNDS_EXCEEDED, ACCOUNT_NOT_FOUND, MODE_MISMATCH, VERIFICATION_REQUIRED. */
export async function placeOrder(
  deps: OrderDeps,
  caller: Caller,
  wish: OrderWish,
  request: RequestKey | null,
): Promise<Placement> {
  requireWithinBounds(caller.principal, { accountId: wish.accountId })
  const earlier = await earlierPlacement(deps, caller, request)
  if (earlier) return earlier
  const { permitted, denial } = await permission(caller, wish)
  if (denial !== null) throw denial
  return placeOrders(deps, caller, [permitted], request)
}

interface Permission {
  permitted: OrderWish
  denial: ApiError | null
}

/** Where nothing may be opened, an order that would close a position which the ledger shows may close that, and never open another. */
export async function permission(caller: Caller, wish: OrderWish): Promise<Permission> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { accountId, symbol, side, reducesOnly } = wish
  const denial = reducesOnly
    ? await inTime(closingDenial(em, principal, accountId))
    : ((await inTime(openingDenial(em, principal, accountId))) ?? openingBeyondBounds(principal, wish))
  if (denial === null || denial.code === 'ACCOUNT_NOT_FOUND') return { permitted: wish, denial }
  const [held] = await inTime(listPositions(em, principal.userId, { accountId, symbol }))
  const closes = held !== undefined && (held.side === 'LONG') === (side === 'SELL')
  return closes ? { permitted: { ...wish, reducesOnly: true }, denial: null } : { permitted: wish, denial }
}

/** TOKEN_BOUNDS_EXCEEDED as far as the order's value is known; else null. */
function openingBeyondBounds(
  principal: Principal,
  { symbol, quantity, ...order }: OrderWish,
): ApiError | null {
  const price = order.limitPrice ?? order.stopPrice
  const value = price === null ? null : multiply(quantity, price)
  const exceeded = exceededBounds(principal.bounds, { opening: { symbol, awaitsApproval: false, value } })
  return exceeded.length === 0 ? null : tokenBoundsExceeded(exceeded)
}

/**
 * Stored orders are accepted, whatever fails afterwards: the supervisor starts their workflows. Of any number of equal requests with
 * one key exactly one places them. Throws {@link ApiError} IDEMPOTENCY_KEY_REUSED, DATABASE_UNAVAILABLE.
 */
export async function placeOrders(
  deps: OrderDeps,
  caller: Caller,
  wishes: readonly OrderWish[],
  request: RequestKey | null,
): Promise<Placement> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const by = await caller.actorName()
  const placed = wishes.map((wish) => termsOf(wish, principal.userId, deps))
  const rows = placed.map((terms) => ({ terms, received: receivedEntry(terms, by, caller) }))
  const beganAt = performance.now()
  const store = async () => {
    await deps.failpoint('api.before_commit')
    // Orders that were stored after all would be placed a second time by a caller who was told to.
    return insertManualOrders(em, principal.userId, rows, request, caller.limitOfStatement())
  }
  const undo = () =>
    removeUnstartedManualOrders(
      deps.database.em.fork(),
      placed.map(({ orderId }) => orderId),
    )
  for (let attempt = 1; !(await storedOrUndone(deps, inTime, { storing: store(), undo })); attempt++) {
    const earlier = await earlierPlacement(deps, caller, request)
    if (earlier) return earlier
    // The orders that held the key were taken away meanwhile.
    if (attempt === KEY_ATTEMPT_LIMIT)
      throw new Error('orders were not stored, and no request has taken their key')
  }
  for (const { orderId } of placed) noteStored(orderId, { name: 'store order' }, beganAt)
  await deps.failpoint('api.after_commit')
  await awaitPlacements(deps, caller, placed)
  await deps.failpoint('api.after_start')
  return { outcome: 'new', orders: await lookAgain(deps, caller, placed.map(freshState)) }
}

/** Never throws: the orders are accepted, and an error would make their caller place them again. */
async function awaitPlacements(
  deps: OrderDeps,
  caller: Caller,
  orders: readonly ManualOrderTerms[],
): Promise<void> {
  const left = timeLeft(caller, deps)
  const awaitPlacement = async (terms: ManualOrderTerms): Promise<void> => {
    try {
      await deps.gateway.placeOrder(terms, left)
    } catch (error) {
      if (error instanceof WorkflowOver) return
      const level = error instanceof GatewayUnavailable ? 'warn' : 'error'
      const log = { err: error, requestId: caller.requestId, orderId: terms.orderId }
      deps.logger[level](log, 'the order was not started, or had no outcome, before the answer was due')
    }
  }
  await Promise.all(orders.map(awaitPlacement))
}

async function lookAgain(
  { logger }: OrderDeps,
  { em, principal, requestId, beforeDatabaseDeadline }: Caller,
  known: ManualOrderState[],
): Promise<ManualOrderState[]> {
  try {
    const ids = known.map(({ orderId }) => orderId)
    return await beforeDatabaseDeadline(findManualOrders(em, principal.userId, ids))
  } catch (error) {
    logger.warn({ err: error, requestId }, 'the orders could not be read again')
    return known
  }
}

export const isOnItsWay = ({ status, brokerOrderId }: ManualOrderState): boolean =>
  status === 'PENDING' && brokerOrderId === null

export function termsOf(
  wish: OrderWish,
  userId: string,
  { maxStaleness, now = Date.now }: Pick<OrderDeps, 'maxStaleness' | 'now'>,
): ManualOrderTerms {
  const acceptedAt = new Date(now())
  const sendBefore = new Date(acceptedAt.getTime() + maxStaleness)
  return {
    ...wish,
    orderId: randomUUID(),
    userId,
    acceptedAt: acceptedAt.toISOString(),
    sendBefore: sendBefore.toISOString(),
  }
}

const receivedEntry = (terms: ManualOrderTerms, by: string, { principal, requestId }: Caller) =>
  placedEntry(terms.acceptedAt, by, describeManualOrder(terms), { requestId, tokenId: principal.tokenId })

const freshState = (terms: ManualOrderTerms): ManualOrderState => ({
  orderId: terms.orderId,
  symbol: terms.symbol,
  brokerOrderId: null,
  status: 'PENDING',
  denialCode: null,
  reason: null,
  advisories: [],
  sendBefore: new Date(terms.sendBefore),
})
