import { listCovers, type Cover } from '#db/position/position-cover.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Position } from '#db/entities/index.ts'
import { protectionsOf } from '#db/exit/protections.ts'
import { add, smaller, subtract, type Decimal } from '#domain/money/decimal.ts'
import { presentAs, toJsonNumber, toIsoInstant } from '../http/presentation.ts'
import { levelsBySignal, type LevelsBySignal } from '../exit/present.ts'
import {
  accountPositionAnswer,
  positionAnswer,
  type PositionProtectionAnswer,
  type AccountPositionAnswer,
  type PositionAnswer,
  type PositionSummaryAnswer,
  type ClosingAnswer,
  type ClosingLineAnswer,
} from '#contract/position/positions.ts'
import type { PositionToday } from '#db/position/positions.ts'
import { dayGain } from '#domain/account/day-result.ts'
import type { OrderByHand } from '#db/order/by-hand.ts'
import { isOnItsWay } from '../order/commands.ts'
import { presentPlaced, presentPlacement, rejectionOf } from '../order/present.ts'
import type { RejectedAnswer } from '#contract/order/shapes.ts'
import { POSITION_HELD } from '#domain/signal/advisory.ts'
import type { Closing, ClosingPlacement } from './commands.ts'

export interface Covers {
  covers: readonly Cover[]
  plans: LevelsBySignal
}

export async function readCovers(em: EntityManager, userId: string): Promise<Covers> {
  const covers = await listCovers(em, userId)
  const ids = covers.flatMap(({ kind, signalId }) => (kind === 'plan' && signalId !== null ? [signalId] : []))
  return { covers, plans: levelsBySignal((await protectionsOf(em, userId, ids)).values()) }
}

function presentCover(position: Position, { covers, plans }: Covers): PositionProtectionAnswer {
  const own = covers.filter(
    ({ accountId, symbol, side }) =>
      accountId === position.accountId && symbol === position.symbol && side === position.side,
  )
  const covered = own.map(({ quantity }) => quantity).reduce(add, '0')
  return {
    protectedBy: own.flatMap(({ signalId }) => {
      const plan = signalId === null ? undefined : plans.get(signalId)
      return plan === undefined || signalId === null ? [] : [{ signalId, ...plan }]
    }),
    closing: own
      .filter(({ kind }) => kind !== 'plan')
      .map(({ signalId, orderId, quantity, at }) => ({
        signalId,
        orderId,
        quantity: toJsonNumber(quantity),
        at,
      })),
    unprotected: toJsonNumber(subtract(position.quantity, smaller(covered, position.quantity))),
  }
}

export const presentAccountPosition = (position: Position): AccountPositionAnswer =>
  presentAs(accountPositionAnswer, position, { lastUpdated: toIsoInstant(position.updatedAt) })

export const presentPosition = (position: Position, covers?: Covers): PositionAnswer =>
  presentAs(positionAnswer, position, {
    lastUpdated: toIsoInstant(position.updatedAt),
    ...(covers && { protection: presentCover(position, covers) }),
  })

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

export const presentDayReferences = (positions: readonly PositionToday[]): Record<string, number | null> =>
  Object.fromEntries(positions.map(({ position, dayReference }) => [position.id, toJsonNumber(dayReference)]))

/** Dollars; null when unknown for any position. */
export const gainedToday = (positions: readonly PositionToday[]): Decimal | null =>
  positions.reduce<Decimal | null>(
    (sum, { position, dayReference: from }) =>
      sum === null || from === null ? null : add(sum, dayGain(position, from)),
    '0',
  )

export function presentClosing(
  { accountId }: Closing,
  placement: ClosingPlacement,
  requestId: string,
): { status: number; body: ClosingAnswer | RejectedAnswer } {
  const { outcome, order, unseen } = placement
  if (rejectionOf(order) !== null) {
    const { status, body } = presentPlacement(placement, requestId)
    return { status, body: body as RejectedAnswer }
  }
  const isUnseen = unseen !== null && isOnItsWay(order)
  const placed = presentPlaced(order)
  const message = isUnseen ? unseenInWords(unseen.detail, order) : placed.message
  const isHeld = order.advisories.some(({ code }) => code === POSITION_HELD)
  const line: ClosingLineAnswer = { symbol: order.symbol, order: { ...placed, message } }
  const body: ClosingAnswer = { success: !isHeld && !isUnseen, accountId, orders: [line], requestId }
  if (outcome === 'repeated') return { status: 200, body }
  return { status: isOnItsWay(order) ? 202 : 201, body }
}

const unseenInWords = (detail: string, { sendBefore }: OrderByHand): string =>
  `Nothing is closed yet: ${detail}. The order is sent once the broker shows the position, but not after ${sendBefore}: look it up by its id`
