import type { BrokerPosition } from '#brokers/port.ts'
import { unseenPositions, type UnseenPosition } from '#db/accounts/unseen-positions.ts'
import { findAccountConnection } from '#db/accounts/sync.ts'
import type { RequestKey } from '#db/signals/requests.ts'
import type { OrderWish } from '#domain/by-hand.ts'
import { smaller, type Decimal } from '#domain/decimal.ts'
import { closingDenial } from '../access/account-denial.ts'
import { requireWithinBounds } from '../access/token-bounds.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'
import { within, DeadlinePassed } from '../http/deadline.ts'
import { ApiError } from '#contract/errors.ts'
import { earlierPlacement, storeOrder, type OrderDeps, type Placement } from '../orders/commands.ts'
import type { Caller } from '../http/caller.ts'

/** Of the time until the answer is due, the share that the broker has to tell what is held. */
const BROKERS_SHARE = 0.5

export interface Closing {
  accountId: string
  symbol: string
  /** Shares; null for all that are held. */
  quantity: Decimal | null
}

export interface ClosingPlacement extends Placement {
  unseen: UnseenPosition | null
}

/**
 * The order is sized again right before it is sent, so that it never flips a position. The trading mode does not matter: whoever
 * changes it takes no exit away. For a position that our executions know of and the broker does not show, it waits until that is
 * shown. Throws {@link ApiError} ACCOUNT_NOT_FOUND, POSITION_NOT_FOUND, POSITIONS_UNAVAILABLE, BROKER_CREDENTIALS_INVALID,
 * IDEMPOTENCY_KEY_REUSED.
 */
export async function closePosition(
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
  if (earlier) return { ...earlier, unseen: null }

  const shown = await readPosition(deps, caller, closing)
  const [unseen = null] = await inTime(
    unseenPositions(em, closing.accountId, closing.symbol, shown === null ? [] : [shown]),
  )
  const position = unseen ?? shown
  if (position === null) throw new ApiError('POSITION_NOT_FOUND')
  return { ...(await storeOrder(deps, caller, 'close', closingOrder(closing, position), request)), unseen }
}

async function readPosition(
  deps: OrderDeps & BrokerAccess,
  { em, principal, receivedAt, beforeDatabaseDeadline: inTime }: Caller,
  { accountId, symbol }: Closing,
): Promise<BrokerPosition | null> {
  const connection = await inTime(findAccountConnection(em, accountId))
  if (!connection || connection.userId !== principal.userId) throw new ApiError('ACCOUNT_NOT_FOUND')
  const left = receivedAt + deps.answerDeadline * BROKERS_SHARE - performance.now()
  try {
    const broker = connectTo(deps, connection)
    return await within(
      left,
      'the broker',
      askBroker(() => broker.getPosition(symbol)),
    )
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
