import { type Decimal, compare } from '../money/decimal.ts'
import { exitPurpose, type ExitReason, type ExitTerms, type ReachedLevel } from './exit.ts'
import { orderAsSent, type OrderRequest, type OrderSide } from '../order/order.ts'
import {
  type RestingOrder,
  crossedLevel,
  type CrossedLevel,
  type ProtectedPosition,
  type ProtectiveAbilities,
  type Protection,
} from './protection.ts'
import { EXIT_SIDE, isOpening, type SignalTerms } from '../signal/signal.ts'
import type { Kept } from './kept-levels.ts'
import { endOfWait, type ExitProgress, type ExitsAsked } from './progress.ts'
import { desiredExit, isServed, isSessionOver, type DesiredExit } from './desired.ts'

export const EXIT_WAYS = ['time', 'limit', 'stop', 'stopLimit', 'person', 'signal', 'elsewhere'] as const

/** time: at market or auction. limit, stop, stopLimit: at a price. */
export type ExitWay = (typeof EXIT_WAYS)[number]

/** Null for an order that keeps no level. */
export function restingOf(reason: ExitReason, order: OrderRequest): RestingOrder | null {
  if (exitPurpose(reason) === 'timed') return null
  const { orderType, limitPrice, stopPrice, stopLimitPrice, trail, timeInForce } = order
  return {
    orderType: orderType as RestingOrder['orderType'],
    limitPrice,
    stopPrice,
    ...(stopLimitPrice != null && { stopLimitPrice }),
    ...(trail != null && { trail }),
    timeInForce: timeInForce as RestingOrder['timeInForce'],
  }
}

export const isAtMarket = ({ orderType, timeInForce }: ExitTerms): boolean =>
  orderType === 'market' && timeInForce === 'day'

export const atPrices = (
  rule: ExitTerms,
  { limitPrice, prices }: { limitPrice?: Decimal; prices?: Pick<ExitTerms, 'limitPrice' | 'stopPrice'> },
): ExitTerms =>
  limitPrice === undefined ? { ...rule, ...prices } : { ...rule, orderType: 'limit', limitPrice }

/** The side of an exit. Throws TypeError for a signal that closes. */
export function exitSide({ action }: Pick<SignalTerms, 'action'>): OrderSide {
  if (!isOpening(action)) throw new TypeError(`a ${action} signal has no exit`)
  return EXIT_SIDE[action]
}

export const exitRequest = (
  { symbol, ...terms }: Pick<SignalTerms, 'symbol' | 'action'>,
  rule: ExitTerms,
  quantity: Decimal,
  clientOrderId: string,
): OrderRequest => ({
  clientOrderId,
  ...orderAsSent(
    {
      ...rule,
      symbol,
      // Brokers have no moc, but time in force cls.
      orderType: rule.orderType === 'moc' ? 'market' : rule.orderType,
      extendedHours: false,
    },
    exitSide(terms),
    quantity,
  ),
})

export interface LookRequest {
  /** UTC, by the clock of the workflow's timers. */
  now: string
  exit: ExitProgress
  asked: ExitsAsked
  filled: Decimal
  fillsAtOnce: boolean
}

export interface LedgerFacts {
  /** Null once removed. */
  protection: Protection | null
  position: ProtectedPosition
  best: Decimal
  resting: RestingOrder | null
  kept: Kept
  crossed: CrossedLevel | null
  abilities: ProtectiveAbilities
  owned: Decimal
  isTooLarge: boolean
  /** Moved so often that a new order must replace it. */
  isWornOut: boolean
  halt: string | null
  revision: number
  restingRevision: number
}

export interface ExitLook {
  desired: DesiredExit
  isServed: boolean
  reached: ReachedLevel | null
  /** The working order lacks the present levels or shares, or must be replaced. */
  isBehind: boolean
  isHalted: boolean
  revision: number
  /** Filled shares of a grown entry, and the average in dollars. */
  grown?: { filled: Decimal; average: Decimal }
}

/** Without levels and a resting order the workflow needs no ledger. */
export function lookWithoutLevels({ fillsAtOnce, now, ...known }: LookRequest, isTooLarge = false): ExitLook {
  const working = known.exit.workingOrder && { fillsAtOnce, isTooLarge }
  const facts = { ...known, levels: null, working, halt: null }
  const desired = desiredExit(facts, now)
  const none = { reached: null, isBehind: false, isHalted: false, revision: 0 }
  return { desired, isServed: isServed(facts, desired), ...none }
}

export function lookWithLevels(asked: LookRequest, ledger: LedgerFacts): ExitLook {
  const { now, filled, fillsAtOnce } = asked
  const {
    protection,
    position,
    best,
    resting,
    abilities,
    owned,
    isTooLarge,
    halt,
    revision,
    restingRevision,
  } = ledger
  const { workingOrder } = asked.exit
  const reached = reachedLevel(asked, ledger)
  const { reached: _, ...rest } = asked.exit
  const facts = {
    exit: { ...rest, ...(reached && { reached }) },
    asked: { exit: asked.asked.exit, ...(protection && { protection }) },
    filled,
    levels: { position, best, abilities, resting, owned },
    working: workingOrder && { fillsAtOnce, isTooLarge },
    halt,
  }
  const desired = desiredExit(facts, now)
  const served = isServed(facts, desired)
  const rests = served && workingOrder?.reason === 'PROTECTION'
  const isPart = rests && compare(filled, workingOrder.coversUpTo) > 0
  const isBehind = rests && (revision !== restingRevision || isPart || ledger.isWornOut)
  return { desired, isServed: served, reached, isBehind, isHalted: halt !== null, revision }
}

/** Counts only while levels and order are unchanged; a stop stays reached. */
function reachedLevel({ exit, now }: LookRequest, ledger: LedgerFacts): ReachedLevel | null {
  const { protection, crossed, halt } = ledger
  // A halt blocks targets; afterwards the price may be elsewhere.
  const mayActOn = (level: ReachedLevel) =>
    level === 'STOP_LOSS' || (halt === null && endOfWait(exit, 'TAKE_PROFIT', now) === null)
  const known = exit.reached !== undefined && mayActOn(exit.reached) ? exit.reached : null
  if (
    known === 'STOP_LOSS' ||
    protection === null ||
    crossed === null ||
    isSessionOver(exit, protection, now)
  )
    return known
  const level = levelCrossed(ledger)
  return level !== null && mayActOn(level) ? level : known
}

/** Null if the level has changed, or the broker's order acts on it. */
export function levelCrossed({
  protection,
  position,
  best,
  kept,
  crossed,
}: Pick<LedgerFacts, 'protection' | 'position' | 'best' | 'kept' | 'crossed'>): ReachedLevel | null {
  if (protection === null || crossed === null || kept === 'all') return null
  const reached = crossedLevel(protection, position, best, kept, crossed.price)
  return reached && (reached.level === 'stop' ? 'STOP_LOSS' : 'TAKE_PROFIT')
}
