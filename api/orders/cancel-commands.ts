import type { Order, Signal } from '#db/entities/index.ts'
import { findSignal } from '#db/signals/signals.ts'
import { recordCancelled } from '#db/signals/decision-ledger.ts'
import { findOrder, findSendingToken } from '#db/orders/queries.ts'
import { isTerminal, type OrderStatus } from '#domain/order.ts'
import { withdrawnDetail } from '#domain/signal.ts'
import { isOwnOf, requireWithinBounds } from '../access/token-bounds.ts'
import { ApiError, temporalUnavailable } from '#contract/errors.ts'
import { AnswerOverdue, GatewayUnavailable, UpdateRejected, WorkflowOver } from '../temporal/signals.ts'
import type { Caller } from '../http/caller.ts'
import { timeLeft } from '../temporal/time-left.ts'
import { recipientOf } from '../signals/recipient.ts'
import type { OrderDeps } from './commands.ts'

type OrderToCancel = Pick<Order, 'id' | 'userId' | 'accountId' | 'signalId' | 'clientOrderId' | 'status'>

/** asked: not confirmed by the broker yet, and may still fill. overdue: the same, and nobody has taken the cancel up in time. */
export type Cancellation = 'cancelled' | 'asked' | 'overdue'

/**
 * An order whose workflow was not started, because Temporal cannot be reached, is cancelled in the ledger: otherwise it would be
 * sent as soon as Temporal is back. Throws {@link ApiError} TOKEN_BOUNDS_EXCEEDED, ORDER_NOT_CANCELLABLE naming the status of an
 * order that has ended, and TEMPORAL_UNAVAILABLE.
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
    // Temporal may take up what it was asked: the database, which may hang as it does, is no reason to say otherwise.
    if (error instanceof AnswerOverdue)
      return (await isStopped().catch(() => false)) ? 'cancelled' : 'overdue'
    if (await isStopped()) return 'cancelled'
    throw temporalUnavailable(error)
  }
}

/** Throws TOKEN_BOUNDS_EXCEEDED for a foreign account, or, where the token is bound to what it has sent, for an order of others. */
export async function requireCancellable(caller: Caller, order: OrderToCancel): Promise<void> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const sentBy = principal.bounds.ownSignalsOnly ? await inTime(findSendingToken(em, order)) : null
  requireWithinBounds(principal, { accountId: order.accountId, isOwn: isOwnOf(principal, sentBy) })
}

/** An order by hand whose workflow has not been started; once it ran, only its workflow knows. */
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
