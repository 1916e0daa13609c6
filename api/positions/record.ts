import type { Position } from '#db/entities/index.ts'
import { add, multiply, negate, type Decimal } from '#domain/decimal.ts'
import { isOnItsWay, type Placement } from '../orders/commands.ts'
import { presentPlaced, presentPlacement, rejectionOf } from '../orders/placement-record.ts'
import type { RejectedAnswer } from '../orders/answers.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { POSITION_HELD } from '#domain/advisory.ts'
import type { Closing } from './commands.ts'
import type {
  AccountPositionAnswer,
  PositionAnswer,
  PositionSummaryAnswer,
  ClosingAnswer,
  ClosingLineAnswer,
} from './answers.ts'

/** A position as the listing of one account shows it. */
export const presentAccountPosition = (position: Position): AccountPositionAnswer => ({
  id: position.id,
  symbol: position.symbol,
  quantity: toJsonNumber(position.quantity),
  side: position.side,
  avgCost: toJsonNumber(position.avgCost),
  currentPrice: toJsonNumber(position.currentPrice),
  marketValue: toJsonNumber(position.marketValue),
  unrealisedPnl: toJsonNumber(position.unrealisedPnl),
  unrealisedPnlPercent: toJsonNumber(position.unrealisedPnlPercent),
  lastUpdated: toIsoInstant(position.updatedAt),
})

/** A position as the listing of all accounts shows it. */
export const presentPosition = (position: Position): PositionAnswer => ({
  ...presentAccountPosition(position),
  accountId: position.accountId,
  dayChange: toJsonNumber(position.dayChange),
  dayChangePercent: toJsonNumber(position.dayChangePercent),
})

/** The totals of a listing. */
export function presentPositionSummary(positions: readonly Position[]): PositionSummaryAnswer {
  const marketValue = positions.reduce((sum, position) => add(sum, position.marketValue), '0')
  const dayChange = positions.reduce<Decimal | null>(
    (sum, position) => (sum === null || position.dayChange == null ? null : add(sum, dayChangeOf(position))),
    '0',
  )
  return {
    totalMarketValue: toJsonNumber(marketValue),
    totalUnrealisedPnl: toJsonNumber(
      positions.reduce((sum, { unrealisedPnl }) => add(sum, unrealisedPnl), '0'),
    ),
    totalDayChange: toJsonNumber(dayChange),
    positionCount: positions.length,
  }
}

/** Dollars that a position has gained since the last close; a short one gains when the price falls. */
const dayChangeOf = ({ side, quantity, dayChange }: Position): Decimal =>
  multiply(dayChange!, side === 'LONG' ? quantity : negate(quantity))

/**
 * The HTTP answer to a request that closes positions: an order for each. One that was refused stands beside those that
 * were placed; when it was the only one that was asked for, it is an error to whoever did.
 */
export function presentClosing(
  { accountId, symbol }: Closing,
  placement: Placement,
  requestId: string,
): { status: number; body: ClosingAnswer | RejectedAnswer } {
  const { outcome, orders } = placement
  const lines = orders.map((order): ClosingLineAnswer => {
    const rejection = rejectionOf(order)
    return { symbol: order.symbol, order: presentPlaced(order), error: rejection?.error ?? null }
  })
  if (symbol !== null && lines.some(({ error }) => error !== null)) {
    const { status, body } = presentPlacement(placement, requestId)
    return { status, body: body as RejectedAnswer }
  }
  const isHeld = orders.some(({ advisories }) => advisories.some(({ code }) => code === POSITION_HELD))
  const success = !isHeld && lines.every(({ error }) => error === null)
  const body: ClosingAnswer = { success, accountId, orders: lines, requestId }
  if (outcome === 'repeated' || orders.length === 0) return { status: 200, body }
  return { status: orders.some(isOnItsWay) ? 202 : 201, body }
}
