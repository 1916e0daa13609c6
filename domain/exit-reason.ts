import { compare, magnitude, multiply, subtract, type Decimal } from './decimal.ts'
import type { ExitFor } from './exit.ts'
import { parseClientOrderId, type AnyOrderType } from './order.ts'
import { tickAt } from './price-tick.ts'
import {
  breakEvenPrice,
  firstStopPrice,
  isBetter,
  stopNow,
  type ProtectedPosition,
  type Protection,
} from './protection.ts'

/** Why shares were closed: the level that was reached, the time of the exit, or an order that is not their exit. */
export const EXIT_REASONS = [
  'STOP_LOSS',
  'TAKE_PROFIT',
  'TRAILING_STOP',
  'BREAK_EVEN',
  'TIME',
  'CLOSE',
] as const
export type ExitReason = (typeof EXIT_REASONS)[number]

/** The exit order of a signal that closed shares, and the exit plan by then. */
export interface ClosingExit {
  clientOrderId: string
  orderType: AnyOrderType
  /** Of the order as it was moved last; dollars a share. */
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  /** As it was sized; null for a signal without an exit plan. */
  isFor: ExitFor | null
  /** Dollars a share at which it closed, on average. */
  price: Decimal
  side: 'LONG' | 'SHORT'
  /** The plan, its position and the best price since the entry; null without a plan, or where it was taken away. */
  plan: { protection: Protection; position: ProtectedPosition; best: Decimal } | null
}

/** The reason for which an exit of a signal has closed shares. */
export function exitReasonOf(exit: ClosingExit): ExitReason {
  switch (parseClientOrderId(exit.clientOrderId)?.purpose) {
    case 'target':
      return 'TAKE_PROFIT'
    case 'plan':
      return isTarget(exit) ? 'TAKE_PROFIT' : stopReason(exit)
    case 'timed':
      return exit.isFor === 'stop' ? stopReason(exit) : 'TIME'
    case 'entry':
    case undefined:
      return 'CLOSE'
  }
}

/** Of an oco the leg that traded is told by its price: a target trades at its limit or better, a stop never does. */
function isTarget({ orderType, limitPrice, price, side }: ClosingExit): boolean {
  if (orderType === 'limit') return true
  return orderType === 'oco' && limitPrice !== null && !isBetter(side, limitPrice, price)
}

const STOPS = { stop: 'STOP_LOSS', trail: 'TRAILING_STOP', breakEven: 'BREAK_EVEN' } as const

/** Steps of the price by which the stop at the broker may differ from break-even: fees are known better later. */
const BREAK_EVEN_TICKS = '2'

/** The part of the plan that the stop came from: by where it lay at the broker, or, kept here, by where it was. */
function stopReason({ orderType, stopPrice, plan }: ClosingExit): ExitReason {
  if (orderType === 'trailingStop') return 'TRAILING_STOP'
  if (plan === null) return 'STOP_LOSS'
  const { protection, position, best } = plan
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
