import { FREE, type BoundsPolicy, requireWithinBounds, tokenBoundsExceeded } from '../access/policy.ts'
import type { RequestKey } from '#db/signal/requests.ts'
import { createHash, randomUUID } from 'node:crypto'
import type { Caller } from '../http/caller.ts'
import type { Principal } from '../http/principal.ts'
import type { ApiContext } from '../http/context.ts'
import { fault, validationError, type ApiError } from '#contract/errors.ts'
import { keyName, begunByKey, storeOnce } from '../intake/request.ts'
import { inKeyOrder } from '../http/paging.ts'
import { notFilledIn, placeholderIn } from '#contract/values/secrets.ts'
import { idempotencyHeaders } from '#contract/order/shapes.ts'
import { listPositions } from '#db/position/positions.ts'
import type { Database } from '#db/engine/database.ts'
import { findOrderByHand, insertOrderByHand, orderByHandId, type OrderByHand } from '#db/order/by-hand.ts'
import { findSignal, keepNotified, removeUnstarted } from '#db/signal/signals.ts'
import { termsOf } from '#db/signal/terms.ts'
import { termsByHand, type ByHandTerms, type OrderRequestByHand } from '#domain/signal/by-hand.ts'
import type { Origin } from '#domain/signal/origin.ts'
import { multiply } from '#domain/money/decimal.ts'
import { exceededBounds } from '#domain/risk/token-bounds.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { placedEntry } from '#domain/signal/timeline.ts'
import { noteStored } from '#tracing/spans.ts'
import { describeEntry } from '#workflows/steps/describe.ts'
import type { Logger } from 'pino'
import { closingDenial, openingDenial } from '../access/denied-requests.ts'
import type { Background } from '../http/background.ts'
import type { Failpoint } from '../http/failpoint.ts'
import type { OrderGateway } from '../temporal/signals.ts'
import { timeLeft, GatewayUnavailable, WorkflowOver, type SignalGateway } from '../temporal/calls.ts'
import { playThrough, type DryRun, type DryRunDeps, type Stage, type Stored } from '../signal/dry-run.ts'

export const PLACING: BoundsPolicy = {
  ...FREE,
  pendingOnly: 'refused',
  accountIds: 'judged',
  symbols: 'judged',
  maxOrderValue: 'judged',
  demoOnly: 'refused',
}

export const CANCELLING: BoundsPolicy = { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' }

/** Each token has its own keys. Two spellings of one request hash alike. Throws VALIDATION_ERROR. */
export function readRequestKey(ctx: ApiContext, orderRequest: object): RequestKey | null {
  if (ctx.headers['idempotency-key'] === undefined) return null
  const given = ctx.get('Idempotency-Key')
  const placeholder = placeholderIn(given)
  if (placeholder !== null)
    throw validationError([
      fault(['Idempotency-Key'], 'unfilled_placeholder', `Idempotency-Key: ${notFilledIn(placeholder)}`),
    ])
  const { success, error } = idempotencyHeaders.safeParse({ 'Idempotency-Key': given })
  if (!success)
    throw validationError([
      fault(['Idempotency-Key'], 'invalid_format', `Idempotency-Key ${error.issues[0]!.message}`),
    ])
  const text = JSON.stringify(inKeyOrder(orderRequest))
  return {
    key: keyName(ctx.state.principal ?? { tokenId: null }, given),
    hash: createHash('sha256').update(text).digest('hex'),
  }
}

export interface OrderDeps {
  /** Used on behalf of the service. */
  database: Database
  background: Background
  gateway: OrderGateway & Pick<SignalGateway, 'startAndAwaitEntry'>
  logger: Logger
  /** Milliseconds from arrival. */
  answerDeadline: number
  /** Milliseconds after placement to send an order. */
  signalTtl: number
  /** Milliseconds by PostgreSQL's clock; absent: the process's. */
  now?: () => number
  failpoint: Failpoint
}

export interface Placement {
  outcome: 'new' | 'repeated'
  order: OrderByHand
}

/** Waits for an order on its way. Throws IDEMPOTENCY_KEY_REUSED. */
export async function earlierPlacement(
  deps: OrderDeps,
  caller: Caller,
  request: RequestKey | null,
): Promise<Placement | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const signalId = await begunByKey(caller, request)
  // An unstarted order may be removed soon, after an error.
  if (signalId === null || !(await inTime(keepNotified(em, [signalId])))) return null
  const order = await inTime(findOrderByHand(em, principal.userId, signalId))
  if (order === null) return null
  if (!isOnItsWay(order)) return { outcome: 'repeated', order }
  const signal = await inTime(findSignal(em, principal.userId, signalId))
  if (signal !== null) await awaitPlacement(deps, caller, termsOf(signal))
  return { outcome: 'repeated', order: await lookAgain(deps, caller, order) }
}

/** Throws TOKEN_BOUNDS_EXCEEDED, ACCOUNT_NOT_FOUND, MODE_MISMATCH, VERIFICATION_REQUIRED. */
export async function placeOrder(
  deps: OrderDeps,
  caller: Caller,
  orderRequest: OrderRequestByHand,
  request: RequestKey | null,
): Promise<Placement> {
  requireWithinBounds(caller.principal, { accountId: orderRequest.accountId })
  const earlier = await earlierPlacement(deps, caller, request)
  if (earlier) return earlier
  const { permitted, denial } = await permission(caller, orderRequest)
  if (denial !== null) throw denial
  return storeOrder(deps, caller, 'person', permitted, request)
}

interface Permission {
  permitted: OrderRequestByHand
  denial: ApiError | null
}

/** An order that may not open may still close the ledger's position, and no more. */
async function permission(caller: Caller, orderRequest: OrderRequestByHand): Promise<Permission> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { accountId, symbol, side, reducesOnly } = orderRequest
  const denial = reducesOnly
    ? await inTime(closingDenial(em, principal, accountId))
    : ((await inTime(openingDenial(em, principal, accountId))) ??
      openingBeyondBounds(principal, orderRequest))
  if (denial === null || denial.code === 'ACCOUNT_NOT_FOUND') return { permitted: orderRequest, denial }
  const [held] = await inTime(listPositions(em, principal.userId, { accountId, symbol }))
  const closes = held !== undefined && (held.side === 'LONG') === (side === 'SELL')
  return closes
    ? { permitted: { ...orderRequest, reducesOnly: true }, denial: null }
    : { permitted: orderRequest, denial }
}

/** Null within the bounds, as far as the value is known. */
function openingBeyondBounds(
  principal: Principal,
  { symbol, quantity, ...order }: OrderRequestByHand,
): ApiError | null {
  const price = order.limitPrice ?? order.stopPrice
  const value = price === null ? null : multiply(quantity, price)
  const exceeded = exceededBounds(principal.bounds, { opening: { symbol, awaitsApproval: false, value } })
  return exceeded.length === 0 ? null : tokenBoundsExceeded(exceeded)
}

/**
 * A stored order is accepted, also after failures: the supervisor starts its workflow. Throws IDEMPOTENCY_KEY_REUSED,
 * DATABASE_UNAVAILABLE.
 */
export async function storeOrder(
  deps: OrderDeps,
  caller: Caller,
  origin: Origin,
  orderRequest: OrderRequestByHand,
  request: RequestKey | null,
): Promise<Placement> {
  const beganAt = performance.now()
  const terms = acceptedTerms(orderRequest, caller.principal.userId, origin, deps)
  const received = receivedEntry(terms, await caller.actorName(), caller)
  const earlier = await storeOnce(deps, caller, {
    store: (limit) => insertOrderByHand(caller.em, { terms, received }, request, limit),
    undo: () => removeUnstarted(deps.database.em.fork(), [terms.signalId]),
    earlier: () => earlierPlacement(deps, caller, request),
  })
  if (earlier) return earlier
  noteStored(terms.signalId, { name: 'store order' }, beganAt)
  await deps.failpoint('api.after_commit')
  await awaitPlacement(deps, caller, terms)
  await deps.failpoint('api.after_start')
  return { outcome: 'new', order: await lookAgain(deps, caller, freshState(terms)) }
}

/** Never throws: after an error the caller would place the accepted order again. */
async function awaitPlacement(deps: OrderDeps, caller: Caller, terms: SignalTerms): Promise<void> {
  try {
    await deps.gateway.startAndAwaitEntry(terms, timeLeft(caller, deps))
  } catch (error) {
    if (error instanceof WorkflowOver) return
    const level = error instanceof GatewayUnavailable ? 'warn' : 'error'
    const log = { err: error, requestId: caller.requestId, signalId: terms.signalId }
    deps.logger[level](log, 'the order was not started, or had no outcome, before the answer was due')
  }
}

async function lookAgain(
  { logger }: OrderDeps,
  { em, principal, requestId, beforeDatabaseDeadline }: Caller,
  known: OrderByHand,
): Promise<OrderByHand> {
  try {
    return (await beforeDatabaseDeadline(findOrderByHand(em, principal.userId, known.signalId))) ?? known
  } catch (error) {
    logger.warn({ err: error, requestId }, 'the order could not be read again')
    return known
  }
}

export const isOnItsWay = ({ status, brokerOrderId }: OrderByHand): boolean =>
  status === 'PENDING' && brokerOrderId === null

function acceptedTerms(
  orderRequest: OrderRequestByHand,
  userId: string,
  origin: Origin,
  { signalTtl, now = Date.now }: Pick<OrderDeps, 'signalTtl' | 'now'>,
): ByHandTerms {
  const acceptedAt = new Date(now())
  return termsByHand(orderRequest, {
    signalId: randomUUID(),
    userId,
    origin,
    acceptedAt: acceptedAt.toISOString(),
    sendBefore: new Date(acceptedAt.getTime() + signalTtl).toISOString(),
  })
}

const receivedEntry = (terms: ByHandTerms, by: string, { principal, requestId }: Caller) =>
  placedEntry(terms.acceptedAt, by, describeEntry(terms), { requestId, tokenId: principal.tokenId })

const freshState = ({ signalId, symbol, sendBefore }: ByHandTerms): OrderByHand => ({
  signalId,
  orderId: orderByHandId(signalId),
  symbol,
  brokerOrderId: null,
  status: 'PENDING',
  denialCode: null,
  reason: null,
  advisories: [],
  sendBefore,
})

/** Throws as `playThrough()`, and TOKEN_BOUNDS_EXCEEDED for an account. */
export function dryRunOrder(
  deps: DryRunDeps,
  caller: Caller,
  orderRequest: OrderRequestByHand,
  isKeyed: boolean,
): Promise<DryRun> {
  requireWithinBounds(caller.principal, { accountId: orderRequest.accountId })
  return playThrough(deps, caller, orderRequest.accountId, (stage) =>
    accept(deps, caller, { orderRequest, isKeyed }, stage),
  )
}

async function accept(
  { signalTtl }: DryRunDeps,
  caller: Caller,
  { orderRequest, isKeyed }: { orderRequest: OrderRequestByHand; isKeyed: boolean },
  { em, now }: Stage,
): Promise<Stored> {
  const { permitted, denial } = await permission({ ...caller, em }, orderRequest)
  if (denial?.code === 'ACCOUNT_NOT_FOUND') throw denial
  const { userId } = caller.principal
  const terms = acceptedTerms(permitted, userId, 'person', { signalTtl, now: () => Date.parse(now) })
  const received = receivedEntry(terms, '', caller)
  const key = isKeyed ? { key: randomUUID(), hash: '' } : null
  await insertOrderByHand(em, { terms, received }, key)
  // A person gives the proof later.
  const isRefused = denial !== null && denial.code !== 'VERIFICATION_REQUIRED'
  return {
    signalId: terms.signalId,
    refused: isRefused ? { outcome: 'denied', code: denial.code, detail: denial.message } : null,
    advisories: [],
  }
}
