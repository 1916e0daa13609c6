import type { Broker, BookedSplit, BrokerPosition } from '#brokers/port.ts'
import { nextPart } from '#domain/time/session.ts'
import {
  smaller,
  add,
  compare,
  divideDown,
  isPositive,
  isSame,
  isZero,
  negate,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import { exitPurpose, type ExitReason, type ExitTerms, type ShownBeyond } from '#domain/exit/exit.ts'
import { clientOrderIdFor, type OrderReport, executionSide, isReducing } from '#domain/order/order.ts'
import type { SizeExitInput, SizedExit } from '../contract.ts'
import { oppositeOrderAction } from '#domain/order/opposite-orders.ts'
import {
  differenceInWords,
  isSlight,
  unexplainedShares,
  ageAt,
  closings,
  blockingOrders,
  explainedBy,
  isFresh,
  isTooLarge,
  mayBeTakenForForeign,
  mayFillNow,
  nameOfOrder,
  missingAtBroker,
  ownedBy,
  isFrozen,
  unclaimedBy,
  type LiveOrder,
  type SymbolState,
} from '#domain/position/symbol-state.ts'
import { POSITION_LAG_MS } from '#domain/time/broker-clock.ts'
import { unspent, type ExitSizeOverride, type ExitSizeFacts } from '#domain/risk/sizing.ts'
import { outcomeUnknown } from '../failures.ts'
import { beyondInWords, explainedBySplit, pricesOfBefore } from './beyond-fills.ts'

export type SentExit = OrderReport & { reason: ExitReason }

export const keyOf = ({ generation }: SizeExitInput): string => `exit-${generation}`

export const clientOrderIdOf = ({ signalId, generation, reason }: SizeExitInput): string =>
  clientOrderIdFor(signalId, exitPurpose(reason), generation)

export async function findItself(broker: Broker, input: SizeExitInput): Promise<SentExit | null> {
  const kinds: ExitReason[] = ['PROTECTION', 'TIME', 'TAKE_PROFIT']
  for (const reason of kinds) {
    const found = await broker.findOrder(clientOrderIdOf({ ...input, reason }))
    if (found) return { ...found, reason }
  }
  return null
}

/** This order may be only the fractional share of an auction's exit. */
function asSent(sent: SentExit, { filledQuantity, rule }: SizeExitInput) {
  const { quantity } = sent
  const isPart = nextPart(rule, quantity).isFraction
  const coversQuantity = smaller(quantity, filledQuantity)
  const order = { reason: sent.reason, terms: termsOf(sent) }
  return { quantity, coversQuantity, notBefore: null, ...(isPart && { isFraction: true }), order }
}

function termsOf(sent: OrderReport): ExitTerms {
  const { orderType, limitPrice, stopPrice, stopLimitPrice, trail } = sent
  return {
    orderType,
    limitPrice,
    stopPrice,
    ...(stopLimitPrice != null && { stopLimitPrice }),
    ...(trail != null && { trail }),
    timeInForce: sent.timeInForce === 'gtc' || sent.timeInForce === 'cls' ? sent.timeInForce : 'day',
  }
}

/** `asks`: a request to the broker, too slow under the lock. */
export type Look =
  | { sized: SizedExit; books?: Decimal }
  | { blockingOrders: LiveOrder[] }
  | { asks: 'holders' | 'lastPrice' | 'itself' | 'opposite' | 'splits' }

export interface Asked {
  position: BrokerPosition | null
  holders?: string
  lastPrice?: Decimal | null
  /** Null when the broker has no order of this exit. */
  itself?: SentExit | null
  splits?: BookedSplit[]
  opposite?: LiveOrder[]
}

/** Sizes an exit by the symbol state and the broker's answers. */
export function decideSize(
  input: SizeExitInput,
  asked: Asked,
  symbolState: SymbolState,
  standing: ExitSizeFacts,
): Look {
  const { position } = asked
  const { signalId, side, filledQuantity, failures, rule } = input
  const isMine = symbolState.shares.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  const own = smaller(ownedBy(symbolState, signalId, side), filledQuantity)
  const missing = missingAtBroker(symbolState, position)
  // A missing execution would give another order's trade to the wrong owner.
  const isTakenByOthers = compare(own, filledQuantity) < 0
  // An existing order is the decision: its own fills would count for others.
  if (isTakenByOthers && asked.itself === undefined) return { asks: 'itself' }
  if (asked.itself) return { sized: asSent(asked.itself, input) }
  const choice = isMine ? unspent(standing) : null
  if (isAtLevel(input.reason) && standing.isOfBefore)
    return blocked('its levels are from before its shares changed: change the stop and target')
  if (choice !== null) return chosen(input, asked, symbolState, { ...standing, choice })
  if (
    isTakenByOthers &&
    !isZero(missing) &&
    (failures === 0 || explainedBy(symbolState, position).length > 0)
  )
    return unexplained(input, asked, symbolState)
  const seller = mayBeTakenForForeign(symbolState, executionSide(side), signalId)
  if (isTakenByOthers && seller) {
    const detail = `${nameOfOrder(seller)} may have traded, and is not recorded yet`
    if (isFresh(symbolState, POSITION_LAG_MS)) throw outcomeUnknown(detail)
    return blocked(detail)
  }
  if (!isPositive(own)) return nothingLeft(input)

  const holds = position?.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  const isGone = isNotifiedOf(standing, symbolState, position)
  // A single wrong answer must not divide an exit.
  if (isPositive(missing) && (isFresh(symbolState, POSITION_LAG_MS) || (failures === 0 && !isGone) || !holds))
    return isGone && position === null ? nothingLeft(input) : unexplained(input, asked, symbolState)
  const other = standing.isListed ? unexplainedShares(symbolState, position) : '0'
  const stops = isPositive(other) || (!isZero(other) && isByPrice(input))
  if (stops && !isFresh(symbolState, POSITION_LAG_MS))
    return otherThanFills(input, asked, symbolState, standing)
  if (standing.isOfBefore && isByPrice(input))
    return blocked(pricesOfBefore(rule), { shown: position!.quantity, own })
  const left = input.reason === 'PROTECTION' ? smaller(own, unclaimedBy(symbolState, signalId, side)) : own
  const closable = smaller(left, holds ? position.quantity : '0')
  return holdersOf(input, symbolState) ?? within(input, asked, symbolState, { closable, own, isGone })
}

/**
 * Lacking shares are gone only once the comparison of positions with executions has reported this very difference: the
 * broker's answers may lag.
 */
function isNotifiedOf(
  { told }: ExitSizeFacts,
  symbolState: SymbolState,
  position: BrokerPosition | null,
): boolean {
  const { shares } = symbolState
  if (told === null || isFresh(symbolState, POSITION_LAG_MS)) return false
  if (position !== null && position.side !== shares.side) return false
  const signed = (quantity: Decimal): Decimal => (shares.side === 'LONG' ? quantity : negate(quantity))
  return (
    isSame(told.shown, signed(position?.quantity ?? '0')) && isSame(told.executed, signed(shares.quantity))
  )
}

const nothingLeft = ({ filledQuantity }: SizeExitInput): Look => ({
  sized: { quantity: '0', coversQuantity: filledQuantity, notBefore: null },
})

/** Levels and prices are for the shares held when they were set. */
const isByPrice = ({ reason, rule }: SizeExitInput): boolean =>
  isAtLevel(reason) || rule.limitPrice !== null || rule.stopPrice !== null

const isAtLevel = (reason: ExitReason): boolean => reason !== 'TIME' && reason !== 'CLOSE_AT_MARKET'

function otherThanFills(
  { symbol, signalId, filledQuantity, rule, failures }: SizeExitInput,
  { position, splits }: Asked,
  symbolState: SymbolState,
  { dueAt }: ExitSizeFacts,
): Look {
  if (splits === undefined) return { asks: 'splits' }
  const own = smaller(symbolState.shares.of(signalId), filledQuantity)
  const shown = position!.quantity
  const split = explainedBySplit(splits, { shown, known: symbolState.shares.quantity, own })
  const detail = beyondInWords(symbolState, position, { symbol, own, rule, split })
  if (failures === 0 && dueAt !== null && ageAt(symbolState, dueAt) < POSITION_LAG_MS)
    throw outcomeUnknown(detail)
  return blocked(detail, { shown, own, ...(split && { split }) })
}

/** The broker's position is right: unexplained shares are booked without an owner, and sold last. */
function chosen(
  input: SizeExitInput,
  asked: Asked,
  symbolState: SymbolState,
  standing: ExitSizeFacts & { choice: ExitSizeOverride },
): Look {
  const { position } = asked
  const { quantity, shown, limitPrice, stopPrice } = standing.choice
  const missing = missingAtBroker(symbolState, position)
  const isDoubted = isPositive(missing) && (isFresh(symbolState, POSITION_LAG_MS) || input.failures === 0)
  const isGone = isNotifiedOf(standing, symbolState, position)
  if (position === null && isGone) return nothingLeft(input)
  if (position?.side !== symbolState.shares.side || isDoubted) return unexplained(input, asked, symbolState)
  const beyond = negate(missing)
  const isOther = isPositive(beyond) || (isPositive(missing) && isByPrice(input))
  if (isOther && compare(position.quantity, shown) !== 0)
    return otherThanFills(input, asked, symbolState, standing)
  const left = subtract(quantity, standing.soldSince)
  const closable = smaller(left, position.quantity)
  const own = isPositive(missing) ? smaller(left, add(closable, missing)) : closable
  const size = { closable, own, isGone }
  const look = holdersOf(input, symbolState) ?? within(input, asked, symbolState, size)
  if (!('sized' in look) || look.sized.quantity === null) return look
  const prices = { limitPrice, stopPrice }
  const sized = input.rule.limitPrice || input.rule.stopPrice ? { ...look.sized, prices } : look.sized
  const books = position.side === 'LONG' ? beyond : negate(beyond)
  return isPositive(beyond) ? { sized, books } : { sized }
}

/** Throws a retryable failure while a fill may explain the difference. */
function unexplained(
  { symbol, signalId }: SizeExitInput,
  { position }: Asked,
  symbolState: SymbolState,
): Look {
  const detail = differenceInWords(symbolState, position, symbol)
  if (isFresh(symbolState, POSITION_LAG_MS)) throw outcomeUnknown(detail)
  const sellers = symbolState.live.filter(
    (order) => order.role === 'exit' && order.signalId !== signalId && mayFillNow(order, symbolState),
  )
  const sold = sellers.reduce<Decimal>((sum, { open }) => add(sum, open), '0')
  const missing = missingAtBroker(symbolState, position)
  if (isPositive(missing) && compare(sold, missing) >= 0)
    throw outcomeUnknown(`${detail}; ${sellers.map(nameOfOrder).join(' and ')} may have traded`)
  const others = explainedBy(symbolState, position).map(nameOfOrder)
  return blocked(others.length === 0 ? detail : `${detail}; ${others.join(' and ')} may have traded`)
}

function holdersOf({ signalId, reason }: SizeExitInput, symbolState: SymbolState): Look | null {
  const { live, yielding } = symbolState
  const closers = new Set(yielding.filter((one) => one.signalId === signalId).map(({ closer }) => closer))
  const first = live.find(({ clientOrderId }) => closers.has(clientOrderId))
  const stands = first !== undefined && isFrozen(first, symbolState)
  // A protective order leaves out shares that other orders close already.
  if (stands && (reason === 'PROTECTION' || !isReducing(first.side))) return null
  if (stands) return blocked(`${nameOfOrder(first)} is to close these shares, and waits at the broker`)
  if (closers.size > 0) throw outcomeUnknown(`order ${[...closers].join(' and ')} closes these shares`)
  const rivals = closings(live).filter(
    (order) => order.signalId !== signalId && order.reservedLots.some(({ owner }) => owner === signalId),
  )
  const underWay = rivals.find((order) => !isFrozen(order, symbolState))
  if (underWay) throw outcomeUnknown(`${nameOfOrder(underWay)} closes these shares`)
  return rivals.length > 0 && reason !== 'PROTECTION' ? { blockingOrders: rivals } : null
}

function within(
  { signalId, side, filledQuantity, rule, reason, opposed, wholeFirst }: SizeExitInput,
  { position, holders, lastPrice, opposite }: Asked,
  symbolState: SymbolState,
  { closable, own, isGone }: { closable: Decimal; own: Decimal; isGone: boolean },
): Look {
  const { live } = symbolState
  const { availableQuantity } = position!
  const taken = subtract(closable, availableQuantity)
  if (isPositive(taken)) {
    const others = closings(live).filter(
      (order) => order.signalId !== signalId && isFrozen(order, symbolState),
    )
    const tooLarge = others.filter((order) => isTooLarge(order, symbolState))
    const movable =
      reason === 'PROTECTION' ? tooLarge : [...others.filter(({ role }) => role !== 'exit'), ...tooLarge]
    const blocking = blockingOrders(movable, taken)
    if (blocking.length > 0) return { blockingOrders: blocking }
  }
  const open = smaller(closable, availableQuantity)
  // Fractional shares need day orders.
  const free = reason === 'PROTECTION' && rule.timeInForce === 'gtc' ? divideDown(open, '1', 0) : open
  if (!isPositive(free)) return holders === undefined ? { asks: 'holders' } : blocked(holders)

  const { quantity, rule: by, isFraction } = nextPart(rule, free, wholeFirst)
  if (opposed && opposite === undefined) return { asks: 'opposite' }
  const all = { ...symbolState, live: [...live, ...(opposite ?? [])] }
  const action = oppositeOrderAction({ side, ...by }, all, lastPrice ?? null)
  if (action.what === 'wait')
    throw outcomeUnknown(`${nameOfOrder(action.order)} is on the other side and about to end`)
  if (action.what !== 'clear' && by.orderType === 'market' && lastPrice === undefined)
    return { asks: 'lastPrice' }
  // Foreign orders cannot be cancelled.
  const ours = action.what === 'cancel' ? action.orders.filter((order) => live.includes(order)) : []
  if (ours.length > 0) return { blockingOrders: ours }
  const isAll = compare(quantity, closable) === 0 && (isGone || isSlight(subtract(own, closable), own))
  const coversQuantity = subtract(filledQuantity, subtract(own, isAll ? own : quantity))
  const sized = { quantity, coversQuantity, notBefore: null, ...(isFraction && { isFraction }) }
  return { sized: action.what === 'limit' ? { ...sized, limitPrice: action.limitPrice } : sized }
}

const blocked = (obstacle: string, beyond?: ShownBeyond): Look => ({
  sized: { quantity: null, coversQuantity: null, notBefore: null, obstacle, ...(beyond && { beyond }) },
})
