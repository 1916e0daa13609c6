import { compare, magnitude, multiply, subtract, type Decimal } from '../money/decimal.ts'
import type { ExitReason } from './exit.ts'
import { parseClientOrderId, type AnyOrderType } from '../order/order.ts'
import { tickAt } from '../money/price-tick.ts'
import {
  breakEvenPrice,
  firstStopPrice,
  isBetter,
  stopNow,
  type ProtectedPosition,
  type Protection,
} from './protection.ts'

export const EXIT_REASONS = [
  'STOP_LOSS',
  'TAKE_PROFIT',
  'TRAILING_STOP',
  'BREAK_EVEN',
  'TIME',
  'CLOSE',
] as const
export type ClosingReason = (typeof EXIT_REASONS)[number]

export interface ClosingExit {
  clientOrderId: string
  orderType: AnyOrderType
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  reason: ExitReason | null
  price: Decimal
  side: 'LONG' | 'SHORT'
  /** Null without levels, or once removed; `best` since the entry. */
  levels: { protection: Protection; position: ProtectedPosition; best: Decimal } | null
}

export function exitReasonOf(exit: ClosingExit): ClosingReason {
  switch (parseClientOrderId(exit.clientOrderId)?.purpose) {
    case 'target':
      return 'TAKE_PROFIT'
    case 'plan':
      return isTarget(exit) ? 'TAKE_PROFIT' : stopReason(exit)
    case 'timed':
      return exit.reason === 'STOP_LOSS' ? stopReason(exit) : 'TIME'
    case 'entry':
    case undefined:
      return 'CLOSE'
  }
}

/** The price shows the leg: only a target trades at its limit or better. */
function isTarget({ orderType, limitPrice, price, side }: ClosingExit): boolean {
  if (orderType === 'limit') return true
  return orderType === 'oco' && limitPrice !== null && !isBetter(side, limitPrice, price)
}

const STOPS = { stop: 'STOP_LOSS', trail: 'TRAILING_STOP', breakEven: 'BREAK_EVEN' } as const

/** Ticks of tolerance, because fees become known later. */
const BREAK_EVEN_TICKS = '2'

/** By the stop's price at the broker, or by levels kept here. */
function stopReason({ orderType, stopPrice, levels }: ClosingExit): ClosingReason {
  if (orderType === 'trailingStop') return 'TRAILING_STOP'
  if (levels === null) return 'STOP_LOSS'
  const { protection, position, best } = levels
  if (stopPrice === null) return STOPS[stopNow(protection, position, best)?.by ?? 'stop']
  const first = firstStopPrice(protection, position)
  if (first !== null && compare(first, stopPrice) === 0) return 'STOP_LOSS'
  const isNearEntry =
    compare(
      magnitude(subtract(breakEvenPrice(position), stopPrice)),
      multiply(tickAt(stopPrice), BREAK_EVEN_TICKS),
    ) <= 0
  if (protection.breakEven !== null && (isNearEntry || protection.trail === null)) return 'BREAK_EVEN'
  return protection.trail === null ? 'STOP_LOSS' : 'TRAILING_STOP'
}
