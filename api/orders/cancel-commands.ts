import type { Order } from '#db/entities/index.ts'
import { findManualOrderTerms } from '#db/orders/manual-orders.ts'
import { recordCancelled } from '#db/signals/decision-ledger.ts'
import { cancelledDetail } from '#domain/manual-order.ts'
import { findOrder, findSendingToken } from '#db/orders/queries.ts'
import { isTerminal, type OrderStatus } from '#domain/order.ts'
import { isOwnOf, requireWithinBounds } from '../access/token-bounds.ts'
import { ApiError, temporalUnavailable } from '../http/errors.ts'
import type { CancelRecipient } from '../temporal/orders.ts'
import { AnswerOverdue, GatewayUnavailable, UpdateRejected, WorkflowOver } from '../temporal/signals.ts'
import type { Caller } from '../http/caller.ts'
import { timeLeft } from '../temporal/time-left.ts'
import type { OrderDeps } from './commands.ts'

/** asked: not confirmed by the broker yet, and may still fill. overdue: the same, and nobody has taken the cancel up in time. */
export type Cancellation = 'cancelled' | 'asked' | 'overdue'

/**
 * An order whose workflow was not started, because Temporal cannot be reached, is cancelled in the ledger: otherwise it would be
 * sent as soon as Temporal is back. Throws {@link ApiError} TOKEN_BOUNDS_EXCEEDED, ORDER_NOT_CANCELLABLE naming the status of an
 * order that has ended, and TEMPORAL_UNAVAILABLE.
 */
export async function cancelOrder(deps: OrderDeps, caller: Caller, order: Order): Promise<Cancellation> {
  await requireCancellable(caller, order)
  if (isTerminal(order.status)) throw notCancellable(order.status)
  const to = await recipientOf(caller, order)
  const by = await caller.actorName()
  try {
    const answer = await deps.gateway.cancelOrder(to, { by }, timeLeft(caller, deps))
    if (answer === null) return 'asked'
    if (answer.status === 'CANCELLED') return 'cancelled'
    if (isTerminal(answer.status)) throw notCancellable(answer.status)
    return 'asked'
  } catch (error) {
    if (error instanceof UpdateRejected)
      throw new ApiError('ORDER_NOT_CANCELLABLE', { message: error.message })
    if (error instanceof WorkflowOver) return afterItsWorkflow(caller, order)
    if (!(error instanceof GatewayUnavailable)) throw error
    // Temporal may take up what it was asked: the database, which may hang as it does, is no reason to say otherwise.
    if (error instanceof AnswerOverdue)
      return (await isStoppedUnstarted(caller, to, by).catch(() => false)) ? 'cancelled' : 'overdue'
    if (await isStoppedUnstarted(caller, to, by)) return 'cancelled'
    throw temporalUnavailable(error)
  }
}

/** Throws TOKEN_BOUNDS_EXCEEDED for a foreign account, or, where the token is bound to what it has sent, for an order of others. */
export async function requireCancellable(caller: Caller, order: Order): Promise<void> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const sentBy = principal.bounds.ownSignalsOnly ? await inTime(findSendingToken(em, order)) : null
  requireWithinBounds(principal, { accountId: order.accountId, isOwn: isOwnOf(principal, sentBy) })
}

async function recipientOf(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  { id, userId, signalId, clientOrderId }: Order,
): Promise<CancelRecipient> {
  if (signalId != null) return { placedBy: 'signal', signalId, clientOrderId }
  const found = await inTime(findManualOrderTerms(em, userId, id))
  // Never for an order whose workflow has run: once its history is gone, it would begin anew.
  return { placedBy: 'manual', orderId: id, startWith: found && !found.isStarted ? found.terms : null }
}

async function isStoppedUnstarted(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  to: CancelRecipient,
  by: string,
): Promise<boolean> {
  if (to.placedBy === 'signal' || to.startWith === null) return false
  const cancel = { reason: 'WITHDRAWN', detail: cancelledDetail(by) } as const
  const at = new Date().toISOString()
  return (await inTime(recordCancelled(em, { orderId: to.orderId }, at, cancel))) === 'stopped'
}

async function afterItsWorkflow(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  { id, userId }: Order,
): Promise<Cancellation> {
  const now = await inTime(findOrder(em, userId, id))
  if (now?.order.status === 'CANCELLED') return 'cancelled'
  throw notCancellable(now?.order.status ?? 'CANCELLED')
}

const notCancellable = (status: OrderStatus): ApiError =>
  new ApiError('ORDER_NOT_CANCELLABLE', { message: `The order is ${status}` })
