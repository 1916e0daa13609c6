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

/** time: exit at market, also in an auction. limit, stop, stopLimit: at a price of the exit. */
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

/** An exit at market can avoid an opposite order by a limit. */
export const isAtMarket = ({ orderType, timeInForce }: ExitTerms): boolean =>
  orderType === 'market' && timeInForce === 'day'

/** The exit at a limit instead of at market, or at the owner's prices. */
export const atPrices = (
  rule: ExitTerms,
  { limitPrice, prices }: { limitPrice?: Decimal; prices?: Pick<ExitTerms, 'limitPrice' | 'stopPrice'> },
): ExitTerms =>
  limitPrice === undefined ? { ...rule, ...prices } : { ...rule, orderType: 'limit', limitPrice }

/** The side of a signal's exit. Throws TypeError for a signal that closes. */
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
      // A market order for the closing auction is a market order with time in force cls.
      orderType: rule.orderType === 'moc' ? 'market' : rule.orderType,
      extendedHours: false,
    },
    exitSide(terms),
    quantity,
  ),
})

/** Facts from the workflow. */
export interface LookRequest {
  /** UTC, by the clock of the workflow's timers. */
  now: string
  exit: ExitProgress
  asked: ExitsAsked
  /** Filled shares of the entry. */
  filled: Decimal
  /** The working exit order is at market. */
  fillsAtOnce: boolean
}

/** Facts from the ledger. */
export interface LedgerFacts {
  /** Null after the levels were removed. */
  protection: Protection | null
  position: ProtectedPosition
  best: Decimal
  /** The order of the levels as the broker has it; null without one. */
  resting: RestingOrder | null
  /** Levels kept by the working exit order, whatever its reason. */
  kept: Kept
  crossed: CrossedLevel | null
  abilities: ProtectiveAbilities
  /** Shares that the signal owns. */
  owned: Decimal
  /** The exit order is for more shares than the signal owns. */
  isTooLarge: boolean
  /** The order was moved so often that a new one must replace it: the broker made another order of each move. */
  isWornOut: boolean
  /** The reason why no order may be sent while all trading is halted. */
  halt: string | null
  /** Revision of the levels, and of the levels that the order at the broker has. */
  revision: number
  restingRevision: number
}

export interface ExitLook {
  wish: DesiredExit
  isServed: boolean
  reached: ReachedLevel | null
  /** The figures of the working order are outdated. */
  isBehind: boolean
  /** All trading is halted: no order could replace another. */
  isHalted: boolean
  revision: number
  /** Filled shares of an entry that has grown, and the average in dollars. */
  grown?: { filled: Decimal; average: Decimal }
}

/** Without levels and a resting order the workflow needs nothing from the ledger. */
export function lookWithoutLevels({ fillsAtOnce, now, ...known }: LookRequest, isTooLarge = false): ExitLook {
  const working = known.exit.workingOrder && { fillsAtOnce, isTooLarge }
  const facts = { ...known, levels: null, working, halt: null }
  const wish = desiredExit(facts, now)
  const none = { reached: null, isBehind: false, isHalted: false, revision: 0 }
  return { wish, isServed: isServed(facts, wish), ...none }
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
  const wish = desiredExit(facts, now)
  const served = isServed(facts, wish)
  const rests = served && workingOrder?.reason === 'PROTECTION'
  // The levels have changed, or other orders held a part of the shares when it was sized.
  const isPart = rests && compare(filled, workingOrder.coversUpTo) > 0
  const isBehind = rests && (revision !== restingRevision || isPart || ledger.isWornOut)
  return { wish, isServed: served, reached, isBehind, isHalted: halt !== null, revision }
}

/** A reached level counts only while levels and order are as they were at that price; a stop stays reached. */
function reachedLevel({ exit, now }: LookRequest, ledger: LedgerFacts): ReachedLevel | null {
  const { protection, crossed, halt } = ledger
  // An order at a target cannot be sent while trading is halted; afterwards the price may be elsewhere.
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

/** Null if the level has changed since, or if the order at the broker acts on it. */
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
