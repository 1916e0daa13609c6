import type { Position } from '#db/entities/index.ts'
import { add } from '#domain/decimal.ts'
import { instantOut, numberOut } from '../presentation.ts'
import type { AccountPositionAnswer, PositionAnswer, PositionSummaryAnswer } from './answers.ts'

/** A position as the listing of one account shows it. */
export const presentAccountPosition = (position: Position): AccountPositionAnswer => ({
  id: position.id,
  symbol: position.symbol,
  quantity: numberOut(position.quantity),
  side: position.side,
  avgCost: numberOut(position.avgCost),
  currentPrice: numberOut(position.currentPrice),
  marketValue: numberOut(position.marketValue),
  unrealisedPnl: numberOut(position.unrealisedPnl),
  unrealisedPnlPercent: numberOut(position.unrealisedPnlPercent),
  lastUpdated: instantOut(position.updatedAt),
})

/** A position as the listing of all accounts shows it. */
export const presentPosition = (position: Position): PositionAnswer => ({
  ...presentAccountPosition(position),
  accountId: position.accountId,
  dayChange: numberOut(position.dayChange),
  dayChangePercent: numberOut(position.dayChangePercent),
})

/** The totals of a listing. */
export const presentPositionSummary = (positions: readonly Position[]): PositionSummaryAnswer => ({
  totalMarketValue: numberOut(positions.reduce((sum, { marketValue }) => add(sum, marketValue), '0')),
  totalUnrealisedPnl: numberOut(positions.reduce((sum, { unrealisedPnl }) => add(sum, unrealisedPnl), '0')),
  positionCount: positions.length,
})
