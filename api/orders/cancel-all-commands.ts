import type { Order } from '#db/entities/index.ts'
import { listOrders } from '#db/orders/queries.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import { WORKING_STATUSES } from '#domain/order.ts'
import { closingDenial } from '../access/account-denial.ts'
import { requireWithinBounds } from '../access/token-bounds.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { cancelOrder, type Cancellation } from './cancel-commands.ts'
import type { OrderDeps } from './commands.ts'
import { CANCELLED_AT_ONCE } from '#contract/orders/list-schema.ts'

const AT_A_TIME = 20

export interface CancelledPart {
  accountId?: string | undefined
  symbol?: string | undefined
  keepExits: boolean
}

/** over: it had ended before. failed: nobody is known to have taken the cancel up. */
export interface CancelledLine {
  order: Order
  outcome: Exclude<Cancellation, 'overdue'> | 'over' | 'failed'
  problem: { code: ErrorCode; message: string } | null
}

/** Throws {@link ApiError} ACCOUNT_NOT_FOUND, and TOKEN_BOUNDS_EXCEEDED for an account that is named. */
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
  await forEachAtMost(AT_A_TIME, orders, async (order) => {
    lines.set(order.id, { order, ...(await outcomeOf(deps, caller, order)) })
  })
  return { lines: orders.map(({ id }) => lines.get(id)!), left: Math.max(total - orders.length, 0) }
}

const NO_EXITS = ['entry', 'manual'] as const
const NOT_TAKEN_UP = 'Nobody has said in time that the cancel is taken up; ask again'

async function outcomeOf(
  deps: OrderDeps,
  caller: Caller,
  order: Order,
): Promise<Omit<CancelledLine, 'order'>> {
  try {
    const outcome = await cancelOrder(deps, caller, order)
    return outcome === 'overdue'
      ? { outcome: 'failed', problem: { code: 'TEMPORAL_UNAVAILABLE', message: NOT_TAKEN_UP } }
      : { outcome, problem: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message } = error
    return { outcome: code === 'ORDER_NOT_CANCELLABLE' ? 'over' : 'failed', problem: { code, message } }
  }
}
