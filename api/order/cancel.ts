import type { Account, Order, Signal } from '#db/entities/index.ts'
import { findOrder, findSendingToken, listOrders } from '#db/order/queries.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, temporalUnavailable, type ErrorCode } from '#contract/errors.ts'
import { findSignal } from '#db/signal/signals.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { isTerminal, type OrderStatus, WORKING_STATUSES } from '#domain/order/order.ts'
import { withdrawnDetail } from '#domain/signal/signal.ts'
import { isOwnOf, requireWithinBounds } from '../access/policy.ts'
import {
  timeLeft,
  AnswerOverdue,
  GatewayUnavailable,
  UpdateRejected,
  WorkflowOver,
} from '../temporal/calls.ts'
import { recipientOf } from '../signal/new-signal.ts'
import type { OrderDeps } from './commands.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import { closingDenial } from '../access/denied-requests.ts'
import { CANCELLED_AT_ONCE } from '#contract/order/shapes.ts'
import type { Database } from '#db/engine/database.ts'
import { declareOrderLost } from '#db/watch/lost-orders.ts'
import { auditTrading } from '../http/trading-audit.ts'

export async function ownOrder(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  orderId: string,
): Promise<{ order: Order; account: Account }> {
  const found = await inTime(findOrder(em, principal.userId, orderId))
  if (!found) throw new ApiError('ORDER_NOT_FOUND')
  return found
}

type OrderToCancel = Pick<Order, 'id' | 'userId' | 'accountId' | 'signalId' | 'clientOrderId' | 'status'>

/** asked: unconfirmed, may still fill. overdue: also not received by a workflow in time. */
export type Cancellation = 'cancelled' | 'asked' | 'overdue'

/**
 * Without a workflow the ledger cancels the order, which would be sent once Temporal is back. Throws
 * TOKEN_BOUNDS_EXCEEDED, ORDER_NOT_CANCELLABLE for an ended order, and TEMPORAL_UNAVAILABLE.
 */
export async function cancelOrder(
  deps: OrderDeps,
  caller: Caller,
  order: OrderToCancel,
): Promise<Cancellation> {
  await requireCancellable(caller, order)
  if (isTerminal(order.status)) throw notCancellable(order.status)
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const signal = await inTime(findSignal(em, principal.userId, order.signalId))
  if (!signal) throw new ApiError('ORDER_NOT_FOUND')
  const by = await caller.actorName()
  const { clientOrderId } = order
  const isStopped = () => isStoppedUnstarted(caller, signal, by)
  try {
    const to = recipientOf(signal)
    const answer = await deps.gateway.cancelOrder(to, { clientOrderId, by }, timeLeft(caller, deps))
    if (answer === null) return 'asked'
    if (answer.status === 'CANCELLED') return 'cancelled'
    if (isTerminal(answer.status)) throw notCancellable(answer.status)
    return 'asked'
  } catch (error) {
    if (error instanceof UpdateRejected)
      throw new ApiError('ORDER_NOT_CANCELLABLE', { message: error.message })
    if (error instanceof WorkflowOver) return afterItsWorkflow(caller, order)
    if (!(error instanceof GatewayUnavailable)) throw error
    // Temporal may act, even if the database fails here.
    if (error instanceof AnswerOverdue)
      return (await isStopped().catch(() => false)) ? 'cancelled' : 'overdue'
    if (await isStopped()) return 'cancelled'
    throw temporalUnavailable(error)
  }
}

/** Throws TOKEN_BOUNDS_EXCEEDED for a foreign account, or another sender's order. */
async function requireCancellable(caller: Caller, order: OrderToCancel): Promise<void> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const sentBy = principal.bounds.ownSignalsOnly ? await inTime(findSendingToken(em, order)) : null
  requireWithinBounds(principal, { accountId: order.accountId, isOwn: isOwnOf(principal, sentBy) })
}

/** Once started, only the workflow knows. */
async function isStoppedUnstarted(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  signal: Signal,
  by: string,
): Promise<boolean> {
  if (signal.ask == null || signal.workflowStartedAt != null) return false
  const cancel = { reason: 'WITHDRAWN', detail: withdrawnDetail(signal, by) } as const
  return (await inTime(recordCancelled(em, signal.id, new Date().toISOString(), cancel))) === 'stopped'
}

async function afterItsWorkflow(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  { id, userId }: OrderToCancel,
): Promise<Cancellation> {
  const now = await inTime(findOrder(em, userId, id))
  if (now?.order.status === 'CANCELLED') return 'cancelled'
  throw notCancellable(now?.order.status ?? 'CANCELLED')
}

const notCancellable = (status: OrderStatus): ApiError =>
  new ApiError('ORDER_NOT_CANCELLABLE', { message: `The order is ${status}` })

const AT_A_TIME = 20

export interface CancelledPart {
  accountId?: string | undefined
  symbol?: string | undefined
  keepExits: boolean
}

/** over: it had ended. failed: not known to be received. */
export interface CancelledLine {
  order: Order
  outcome: Exclude<Cancellation, 'overdue'> | 'over' | 'failed'
  problem: { code: ErrorCode; message: string } | null
}

/** Throws ACCOUNT_NOT_FOUND, and TOKEN_BOUNDS_EXCEEDED for a named account. */
export async function cancelAllOrders(
  deps: OrderDeps,
  caller: Caller,
  { accountId, symbol, keepExits }: CancelledPart,
): Promise<{ lines: CancelledLine[]; left: number }> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  if (accountId !== undefined) {
    requireWithinBounds(principal, { accountId })
    const denial = await inTime(closingDenial(em, principal, accountId))
    if (denial) throw denial
  }
  const { bounds, tokenId } = principal
  const wanted = {
    accountId,
    symbol,
    statuses: WORKING_STATUSES,
    ...(keepExits && { roles: NO_EXITS }),
    ...(accountId === undefined && { accountIds: bounds.accountIds }),
    ...(bounds.ownSignalsOnly && tokenId !== null && { sentBy: tokenId }),
  }
  const page = { limit: CANCELLED_AT_ONCE, offset: 0 }
  const { items: orders, total } = await inTime(listOrders(em, principal.userId, wanted, page))
  const lines = new Map<string, CancelledLine>()
  await mapLimit(AT_A_TIME, orders, async (order) => {
    lines.set(order.id, { order, ...(await outcomeOf(deps, caller, order)) })
  })
  return { lines: orders.map(({ id }) => lines.get(id)!), left: Math.max(total - orders.length, 0) }
}

const NO_EXITS = ['entry', 'manual'] as const
const NOT_ADOPTED = 'The cancel was not confirmed in time; send it again'

async function outcomeOf(
  deps: OrderDeps,
  caller: Caller,
  order: Order,
): Promise<Omit<CancelledLine, 'order'>> {
  try {
    const outcome = await cancelOrder(deps, caller, order)
    return outcome === 'overdue'
      ? { outcome: 'failed', problem: { code: 'TEMPORAL_UNAVAILABLE', message: NOT_ADOPTED } }
      : { outcome, problem: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message } = error
    return { outcome: code === 'ORDER_NOT_CANCELLABLE' ? 'over' : 'failed', problem: { code, message } }
  }
}

/** Milliseconds for which the broker must not have known an order. */
const UNKNOWN_FOR = 60_000

/**
 * An order unknown to its broker, as after a reset paper account, counts as cancelled with its known fills. Throws
 * TOKEN_BOUNDS_EXCEEDED, and ORDER_NOT_CANCELLABLE unless the broker has lost it.
 */
export async function letOrderGo(database: Database, caller: Caller, order: Order): Promise<void> {
  const { em, beforeDatabaseDeadline: inTime } = caller
  await requireCancellable(caller, order)
  const by = await caller.actorName()
  // Only the service writes orders' progress; access is checked already.
  const lost = await inTime(declareOrderLost(database.em.fork(), order.id, { by, missed: UNKNOWN_FOR }))
  if (lost === 'ended' || lost === 'unknown_here')
    throw new ApiError('ORDER_NOT_CANCELLABLE', { message: `The order is ${order.status}` })
  if (lost === 'known_at_broker')
    throw new ApiError('ORDER_NOT_CANCELLABLE', {
      message: `An order can be let go only after the broker has not known it for ${UNKNOWN_FOR / 1_000} seconds; cancel it instead`,
    })
  const { accountId, clientOrderId, symbol, filledQuantity } = lost
  const data = { accountId, orderId: order.id, clientOrderId, symbol, filledQuantity }
  await inTime(auditTrading(em, caller, 'order.let_go', data))
}
