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

/** Apart from the keys of other tokens of its user. Two spellings of one wish hash alike. Throws {@link ApiError} VALIDATION_ERROR. */
export function readRequestKey(ctx: ApiContext, wish: object): RequestKey | null {
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
  const text = JSON.stringify(inKeyOrder(wish))
  return {
    key: keyName(ctx.state.principal ?? { tokenId: null }, given),
    hash: createHash('sha256').update(text).digest('hex'),
  }
}

export interface OrderDeps {
  /** In the name of the service. */
  database: Database
  background: Background
  gateway: OrderGateway & Pick<SignalGateway, 'startAndAwaitEntry'>
  logger: Logger
  /** Milliseconds from its arrival within which a request is answered. */
  answerDeadline: number
  /** Milliseconds after it was placed in which an order may still be sent. */
  signalTtl: number
  /** Milliseconds since the epoch by PostgreSQL's clock; by that of the process when left out. */
  now?: () => number
  failpoint: Failpoint
}

export interface Placement {
  outcome: 'new' | 'repeated'
  order: OrderByHand
}

/** Waits for the order that is on its way, as the first request does. Throws {@link ApiError} IDEMPOTENCY_KEY_REUSED. */
export async function earlierPlacement(
  deps: OrderDeps,
  caller: Caller,
  request: RequestKey | null,
): Promise<Placement | null> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const signalId = await begunByKey(caller, request)
  // An order that nobody has begun may be about to be taken away, because its sender was told that it was not stored.
  if (signalId === null || !(await inTime(keepNotified(em, [signalId])))) return null
  const order = await inTime(findOrderByHand(em, principal.userId, signalId))
  if (order === null) return null
  if (!isOnItsWay(order)) return { outcome: 'repeated', order }
  const signal = await inTime(findSignal(em, principal.userId, signalId))
  if (signal !== null) await awaitPlacement(deps, caller, termsOf(signal))
  return { outcome: 'repeated', order: await lookAgain(deps, caller, order) }
}

/** Throws {@link ApiError} TOKEN_BOUNDS_EXCEEDED, ACCOUNT_NOT_FOUND, MODE_MISMATCH, VERIFICATION_REQUIRED. */
export async function placeOrder(
  deps: OrderDeps,
  caller: Caller,
  wish: OrderRequestByHand,
  request: RequestKey | null,
): Promise<Placement> {
  requireWithinBounds(caller.principal, { accountId: wish.accountId })
  const earlier = await earlierPlacement(deps, caller, request)
  if (earlier) return earlier
  const { permitted, denial } = await permission(caller, wish)
  if (denial !== null) throw denial
  return storeOrder(deps, caller, 'person', permitted, request)
}

interface Permission {
  permitted: OrderRequestByHand
  denial: ApiError | null
}

/** Where nothing may be opened, an order that would close a position which the ledger shows may close that, and never open another. */
async function permission(caller: Caller, wish: OrderRequestByHand): Promise<Permission> {
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
  { symbol, quantity, ...order }: OrderRequestByHand,
): ApiError | null {
  const price = order.limitPrice ?? order.stopPrice
  const value = price === null ? null : multiply(quantity, price)
  const exceeded = exceededBounds(principal.bounds, { opening: { symbol, awaitsApproval: false, value } })
  return exceeded.length === 0 ? null : tokenBoundsExceeded(exceeded)
}

/**
 * A stored order is accepted, whatever fails afterwards: the supervisor starts its workflow. Throws {@link ApiError}
 * IDEMPOTENCY_KEY_REUSED, DATABASE_UNAVAILABLE.
 */
export async function storeOrder(
  deps: OrderDeps,
  caller: Caller,
  origin: Origin,
  wish: OrderRequestByHand,
  request: RequestKey | null,
): Promise<Placement> {
  const beganAt = performance.now()
  const terms = acceptedTerms(wish, caller.principal.userId, origin, deps)
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

/** Never throws: the order is accepted, and an error would make its caller place it again. */
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
  wish: OrderRequestByHand,
  userId: string,
  origin: Origin,
  { signalTtl, now = Date.now }: Pick<OrderDeps, 'signalTtl' | 'now'>,
): ByHandTerms {
  const acceptedAt = new Date(now())
  return termsByHand(wish, {
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

/** Throws as `playThrough()`, and {@link ApiError} TOKEN_BOUNDS_EXCEEDED for an account. */
export function dryRunOrder(
  deps: DryRunDeps,
  caller: Caller,
  wish: OrderRequestByHand,
  isKeyed: boolean,
): Promise<DryRun> {
  requireWithinBounds(caller.principal, { accountId: wish.accountId })
  return playThrough(deps, caller, wish.accountId, (stage) => accept(deps, caller, { wish, isKeyed }, stage))
}

async function accept(
  { signalTtl }: DryRunDeps,
  caller: Caller,
  { wish, isKeyed }: { wish: OrderRequestByHand; isKeyed: boolean },
  { em, now }: Stage,
): Promise<Stored> {
  const { permitted, denial } = await permission({ ...caller, em }, wish)
  if (denial?.code === 'ACCOUNT_NOT_FOUND') throw denial
  const { userId } = caller.principal
  const terms = acceptedTerms(permitted, userId, 'person', { signalTtl, now: () => Date.parse(now) })
  const received = receivedEntry(terms, '', caller)
  const key = isKeyed ? { key: randomUUID(), hash: '' } : null
  await insertOrderByHand(em, { terms, received }, key)
  // A person proves who they are when they place it.
  const isRefused = denial !== null && denial.code !== 'VERIFICATION_REQUIRED'
  return {
    signalId: terms.signalId,
    refused: isRefused ? { outcome: 'denied', code: denial.code, detail: denial.message } : null,
    advisories: [],
  }
}
