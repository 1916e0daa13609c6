import { type Decimal, compare } from '../common/decimal.ts'
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

/** time: exit at market, also in an auction. limit, stop, stopLimit: at a price of exit or plan. */
export type ExitWay = (typeof EXIT_WAYS)[number]

/** Null with an order that keeps no level. */
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

/** It can avoid an opposite order by a limit. */
export const isAtMarket = ({ orderType, timeInForce }: ExitTerms): boolean =>
  orderType === 'market' && timeInForce === 'day'

/** At a limit instead of at market, or at the owner's prices. */
export const atPrices = (
  rule: ExitTerms,
  { limitPrice, prices }: { limitPrice?: Decimal; prices?: Pick<ExitTerms, 'limitPrice' | 'stopPrice'> },
): ExitTerms =>
  limitPrice === undefined ? { ...rule, ...prices } : { ...rule, orderType: 'limit', limitPrice }

/** Throws for a signal that closes a position itself. */
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

/** From the workflow. */
export interface LookRequest {
  /** UTC, by the clock of the workflow's timers. */
  now: string
  exit: ExitProgress
  asked: ExitsAsked
  /** Filled shares of the entry. */
  filled: Decimal
  /** The exit order that works is at market. */
  fillsAtOnce: boolean
}

/** From the ledger. */
export interface LedgerFacts {
  /** Null once they were taken away. */
  protection: Protection | null
  position: ProtectedPosition
  best: Decimal
  /** The order of the levels as it lies at the broker; null without such an order. */
  resting: RestingOrder | null
  /** Of the levels, by the exit order that works, whatever it is for. */
  kept: Kept
  crossed: CrossedLevel | null
  abilities: ProtectiveAbilities
  /** Shares that the signal owns. */
  owned: Decimal
  /** Its exit order is for more shares than it owns. */
  isTooLarge: boolean
  /** The broker made another order of each move: it has been moved so often that another one is to take its place. */
  isWornOut: boolean
  /** Why no order may be sent, while all trading is stopped. */
  halt: string | null
  /** Of the levels, and the one that the order at the broker was last brought to. */
  revision: number
  restingRevision: number
}

export interface ExitLook {
  wish: DesiredExit
  /** The exit order that works is the one that is wished for. */
  isServed: boolean
  reached: ReachedLevel | null
  /** The figures of the working order are not those of the levels by now. */
  isBehind: boolean
  /** All trading is stopped: no order could take the place of another. */
  isHalted: boolean
  /** Of the levels that were looked at. */
  revision: number
  /** Filled shares of an entry that has grown, and the average in dollars. */
  grown?: { filled: Decimal; average: Decimal }
}

/** Without levels and without an order that rests the workflow knows all that there is to know. */
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
  // Other levels by now, or other orders held a part of the shares when it was sized.
  const isPart = rests && compare(filled, workingOrder.coversUpTo) > 0
  const isBehind = rests && (revision !== restingRevision || isPart || ledger.isWornOut)
  return { wish, isServed: served, reached, isBehind, isHalted: halt !== null, revision }
}

/** As far as the levels and their order still are as they were when the price was seen; a stop stays reached. */
function reachedLevel({ exit, now }: LookRequest, ledger: LedgerFacts): ReachedLevel | null {
  const { protection, crossed, halt } = ledger
  // Nothing can be sent to a target while all trading is stopped; afterwards the price may be elsewhere.
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

/** Null where it is no level of the position any more, or the order at the broker acts upon it. */
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
