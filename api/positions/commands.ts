import type { BrokerPosition } from '#brokers/port.ts'
import { unseenPositions, type UnseenPosition } from '#db/accounts/unseen-positions.ts'
import { findAccountConnection } from '#db/accounts/sync.ts'
import type { RequestKey } from '#db/orders/manual-orders.ts'
import { smaller, type Decimal } from '#domain/decimal.ts'
import { closingDenial } from '../access/account-denial.ts'
import { requireWithinBounds } from '../access/token-bounds.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'
import { within, DeadlinePassed } from '../http/deadline.ts'
import { ApiError } from '../http/errors.ts'
import { earlierPlacement, placeOrders, type OrderDeps, type Placement } from '../orders/commands.ts'
import type { OrderWish } from '../orders/schema.ts'
import type { Caller } from '../http/caller.ts'

/** Of the time until the answer is due, the share that the broker has to tell what is held. */
const BROKERS_SHARE = 0.5

/** The part of an account to close: one position or all, and of one no more than so many shares. */
export interface Closing {
  accountId: string
  /** Null for every position. */
  symbol: string | null
  /** Shares; null for all that are held. */
  quantity: Decimal | null
}

/** The orders that were placed to close positions, and of which positions the broker does not show what our executions know of. */
export interface ClosingPlacement extends Placement {
  unseen: readonly UnseenPosition[]
}

/**
 * Closes positions at market, by manual orders: sized to what is held, and sized again right before they are
 * sent, so that they never flip one. Orders of ours that hold the shares are cancelled first; of what orders from
 * elsewhere hold, each order tells. The mode of trading does not matter: whoever changes it takes no exit away. A position that
 * our executions know of and the broker does not show gets its order all the same, which waits until it is shown.
 *
 * Throws {@link ApiError} ACCOUNT_NOT_FOUND, POSITION_NOT_FOUND, POSITIONS_UNAVAILABLE, BROKER_CREDENTIALS_INVALID, IDEMPOTENCY_KEY_REUSED.
 */
export async function closePositions(
  deps: OrderDeps & BrokerAccess,
  caller: Caller,
  closing: Closing,
  request: RequestKey | null,
): Promise<ClosingPlacement> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  requireWithinBounds(principal, { accountId: closing.accountId })
  const rejection = await inTime(closingDenial(em, principal, closing.accountId))
  if (rejection) throw rejection
  const earlier = await earlierPlacement(deps, caller, request)
  if (earlier) return { ...earlier, unseen: [] }

  const positions = await readPositions(deps, caller, closing)
  const unseen = await inTime(unseenPositions(em, closing.accountId, closing.symbol, positions))
  const names = new Set(unseen.map(({ symbol }) => symbol))
  const wishes = [...positions.filter(({ symbol }) => !names.has(symbol)), ...unseen]
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
    .map((position) => closingOrder(closing, position))
  if (closing.symbol !== null && wishes.length === 0) throw new ApiError('POSITION_NOT_FOUND')
  if (wishes.length === 0) return { outcome: 'new', orders: [], unseen }
  return { ...(await placeOrders(deps, caller, wishes, request)), unseen }
}

/** The broker's figures of the positions that are to be closed, by symbol. */
async function readPositions(
  deps: OrderDeps & BrokerAccess,
  { em, principal, receivedAt, beforeDatabaseDeadline: inTime }: Caller,
  { accountId, symbol }: Closing,
): Promise<BrokerPosition[]> {
  const connection = await inTime(findAccountConnection(em, accountId))
  if (!connection || connection.userId !== principal.userId) throw new ApiError('ACCOUNT_NOT_FOUND')
  const left = receivedAt + deps.answerDeadline * BROKERS_SHARE - performance.now()
  try {
    const broker = connectTo(deps, connection)
    const asked = askBroker(async () => {
      if (symbol === null) return broker.listPositions()
      const position = await broker.getPosition(symbol)
      return position === null ? [] : [position]
    })
    return await within(left, 'the broker', asked)
  } catch (error) {
    const isOutage = error instanceof ApiError && error.code === 'BROKER_ERROR'
    if (isOutage || error instanceof DeadlinePassed)
      throw new ApiError('POSITIONS_UNAVAILABLE', { headers: { 'Retry-After': '2' }, cause: error })
    throw error
  }
}

const closingOrder = (
  { accountId, quantity }: Closing,
  { symbol, side, quantity: held }: Pick<BrokerPosition, 'symbol' | 'side' | 'quantity'>,
): OrderWish => ({
  accountId,
  symbol,
  side: side === 'LONG' ? 'SELL' : 'BUY',
  quantity: quantity === null ? held : smaller(quantity, held),
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  extendedHours: false,
  reducesOnly: true,
})
