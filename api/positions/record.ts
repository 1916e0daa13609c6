import type { Position } from '#db/entities/index.ts'
import type { PositionToday } from '#db/accounts/positions.ts'
import { dayGain } from '#domain/day-result.ts'
import { add, type Decimal } from '#domain/decimal.ts'
import type { ManualOrderState } from '#db/orders/manual-orders.ts'
import { isOnItsWay } from '../orders/commands.ts'
import { presentPlaced, presentPlacement, rejectionOf } from '../orders/placement-record.ts'
import type { RejectedAnswer } from '../orders/answers.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { POSITION_HELD } from '#domain/advisory.ts'
import type { Closing, ClosingPlacement } from './commands.ts'
import { presentCover, type Covers } from './cover-record.ts'
import type {
  AccountPositionAnswer,
  PositionAnswer,
  PositionSummaryAnswer,
  ClosingAnswer,
  ClosingLineAnswer,
} from './answers.ts'

/**
 * A position as the listing of one account shows it.
 *
 * @param covers what protects positions of its owner
 */
export const presentAccountPosition = (position: Position, covers?: Covers): AccountPositionAnswer => ({
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
  ...(covers && { protection: presentCover(position, covers) }),
})

/** A position as the listing of all accounts shows it. */
export const presentPosition = (position: Position, covers?: Covers): PositionAnswer => ({
  ...presentAccountPosition(position, covers),
  accountId: position.accountId,
  dayChange: toJsonNumber(position.dayChange),
  dayChangePercent: toJsonNumber(position.dayChangePercent),
})

/** The totals of a listing. */
export function presentPositionSummary(positions: readonly PositionToday[]): PositionSummaryAnswer {
  const sum = (of: (position: Position) => Decimal): Decimal =>
    positions.map(({ position }) => of(position)).reduce(add, '0')
  return {
    totalMarketValue: toJsonNumber(sum(({ marketValue }) => marketValue)),
    totalUnrealisedPnl: toJsonNumber(sum(({ unrealisedPnl }) => unrealisedPnl)),
    totalDayChange: toJsonNumber(gainedToday(positions)),
    positionCount: positions.length,
  }
}

/** By the id of a position, the price from which its result of today counts. */
export const presentDayReferences = (positions: readonly PositionToday[]): Record<string, number | null> =>
  Object.fromEntries(positions.map(({ position, dayReference }) => [position.id, toJsonNumber(dayReference)]))

/** Dollars that positions have gained today; null when that is not known of one of them. */
export const gainedToday = (positions: readonly PositionToday[]): Decimal | null =>
  positions.reduce<Decimal | null>(
    (sum, { position, dayReference: from }) =>
      sum === null || from === null ? null : add(sum, dayGain(position, from)),
    '0',
  )

/** The HTTP answer to a request that closes positions: an order for each, and beside them those that were refused. */
export function presentClosing(
  { accountId }: Closing,
  { outcome, orders, unseen }: ClosingPlacement,
  requestId: string,
): { status: number; body: ClosingAnswer } {
  const waits = new Map(unseen.map(({ symbol, detail }) => [symbol, detail]))
  const waitsFor = (order: ManualOrderState): string | null =>
    isOnItsWay(order) ? (waits.get(order.symbol) ?? null) : null
  const lines = orders.map((order): ClosingLineAnswer => {
    const rejection = rejectionOf(order)
    const placed = presentPlaced(order)
    const waiting = waitsFor(order)
    const message = waiting === null ? placed.message : unseenInWords(waiting, order)
    return { symbol: order.symbol, order: { ...placed, message }, error: rejection?.error ?? null }
  })
  const isHeld = orders.some(({ advisories }) => advisories.some(({ code }) => code === POSITION_HELD))
  const isUnseen = orders.some((order) => waitsFor(order) !== null)
  const success = !isHeld && !isUnseen && lines.every(({ error }) => error === null)
  const body: ClosingAnswer = { success, accountId, orders: lines, requestId }
  if (outcome === 'repeated' || orders.length === 0) return { status: 200, body }
  return { status: orders.some(isOnItsWay) ? 202 : 201, body }
}

/** Of an order that waits because the broker does not show the position: nothing is closed yet. */
const unseenInWords = (detail: string, { sendBefore }: ManualOrderState): string =>
  `Nothing is closed yet: ${detail}. The broker is asked again and again, and the order is sent once it shows the position, but not after ${toIsoInstant(sendBefore)}: look it up by its id`

/** Like {@link presentClosing} for one position: its order that was refused is an error to whoever closes it. */
export function presentClosingOfOne(
  closing: Closing,
  placement: ClosingPlacement,
  requestId: string,
): { status: number; body: ClosingAnswer | RejectedAnswer } {
  const isRefused = placement.orders.some((order) => rejectionOf(order) !== null)
  if (!isRefused) return presentClosing(closing, placement, requestId)
  const { status, body } = presentPlacement(placement, requestId)
  return { status, body: body as RejectedAnswer }
}
