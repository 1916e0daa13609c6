import {
  figure,
  dollarAmount,
  shareCount,
  add,
  compare,
  divideDown,
  isPositive,
  isZero,
  magnitude,
  multiply,
  negate,
  smaller,
  type Decimal,
} from '../money/decimal.ts'
import {
  type Size,
  type SizedMove,
  exitsOf,
  isOpening,
  type Action,
  type Leg,
  type Target,
} from './signal.ts'
import type { DenialCode } from '../risk/denial.ts'
import { heldInWords, sideOf, type ProjectedPosition } from '../position/projected-position.ts'
import type { Close, Move, Trade } from './move.ts'
import type { OrderTerms } from '../order/order.ts'

export function sizeBefore({ quantity, quantityType }: Size): string {
  switch (quantityType) {
    case 'fixed':
      return figure(quantity)
    case 'percentEquity':
      return `${figure(quantity)}% of equity in`
    case 'dollarAmount':
      return `${dollarAmount(quantity)} of`
    case 'riskPercent':
    case 'riskDollars':
    case 'percentPosition':
      return `${sizeInWords({ quantity, quantityType })} in`
  }
}

export function sizeInWords({ quantity, quantityType }: Size): string {
  switch (quantityType) {
    case 'fixed':
      return shareCount(quantity)
    case 'percentEquity':
      return `${figure(quantity)}% of equity`
    case 'dollarAmount':
      return dollarAmount(quantity)
    case 'riskPercent':
      return `${figure(quantity)}% of equity at risk`
    case 'riskDollars':
      return `${dollarAmount(quantity)} at risk`
    case 'percentPosition':
      return `${figure(quantity)}% of the position`
  }
}

/** A move in words: "Sell 10 AAPL, by position", "Close 50% of AAPL". */
export function moveInWords(symbol: string, move: SizedMove): string {
  if (move.kind === 'trade')
    return `${move.direction === 'buy' ? 'Buy' : 'Sell'} ${sizeBefore(move)} ${symbol}, by position`
  const { part, side } = move
  const what = side === null ? symbol : `the ${side.toLowerCase()} position in ${symbol}`
  if (part === null) return `Close ${what}`
  return `Close ${'percent' in part ? `${figure(part.percent)}%` : shareCount(part.shares)} of ${what}`
}

// Outcomes of moves; reasons in decision 6.

type MoveTarget = Target & { move: SizedMove }

export const mayMoveOpen = (move: Move): boolean =>
  move.kind === 'trade' &&
  (move.whenFlat === 'open' || move.whenOpposite === 'reverse' || move.whenSame === 'add')

export function nominalPosition(move: Move): Decimal {
  if (move.kind === 'close' || !mayMoveOpen(move)) return '0'
  return move.direction === 'buy' ? '1' : '-1'
}

export function closingOf(move: Move): Action | null {
  if (move.kind === 'trade') return move.direction === 'buy' ? 'closeShort' : 'closeLong'
  if (move.side === null) return null
  return move.side === 'LONG' ? 'closeLong' : 'closeShort'
}

export type MoveOutcome = (
  | { what: 'nothing'; detail: string }
  | { what: 'refused'; code: DenialCode; detail: string }
  | Goal
  | { what: 'step'; leg: Leg }
) & {
  /** Depends on held shares: orders about to fill or to continue come first. */
  isByHeld?: true
}

interface MoveScene extends ProjectedPosition {
  held: Decimal
}

type Order = Pick<OrderTerms, 'orderType' | 'timeInForce'>

export function workOut(symbol: string, target: MoveTarget, scene: MoveScene, order: Order): MoveOutcome {
  const { move } = target
  return move.kind === 'close'
    ? byClose(symbol, target, move, scene)
    : byTrade({ symbol, target, trade: move, order }, scene)
}

function byClose(symbol: string, target: MoveTarget, { side, part }: Close, scene: MoveScene): MoveOutcome {
  const held = sideOf(scene.from)
  if (held === null || (side !== null && side !== held)) {
    const where = side === null ? '' : `, ${side.toLowerCase()}`
    return nothing(symbol, scene, `there is nothing to close${where}`)
  }
  if (part === null || ('percent' in part && compare(part.percent, '100') >= 0)) return goal(target, '0')
  return takeOff(symbol, target, part, scene)
}

interface Traded {
  symbol: string
  target: MoveTarget
  trade: Trade & Size
  order: Order
}

function byTrade({ symbol, target, trade, order }: Traded, scene: MoveScene): MoveOutcome {
  const { direction, quantity, quantityType } = trade
  const isBuy = direction === 'buy'
  const what = isBuy ? 'purchase' : 'sale'
  const refused = (code: DenialCode, why: string): MoveOutcome => ({
    what: 'refused',
    code,
    detail: `${sentence(symbol, scene)}, and this ${what} ${why}`,
  })
  const held = sideOf(scene.from)
  if (held === null)
    switch (trade.whenFlat) {
      case 'open':
        return opens({ symbol, target, trade, order }, scene)
      case 'nothing':
        return nothing(symbol, scene, `this ${what} opens no position`)
      case 'refuse':
        return isBuy
          ? refused('HELD_OTHERWISE', 'may open no position')
          : refused('SHORT_NOT_ALLOWED', 'may not open a short position')
    }
  if ((held === 'LONG') === isBuy)
    switch (trade.whenSame) {
      case 'add':
        return { ...opens({ symbol, target, trade, order }, scene), isByHeld: true }
      case 'nothing':
        return nothing(symbol, scene, `this ${what} adds nothing to them`)
      case 'refuse':
        return refused('HELD_OTHERWISE', 'may not add to them')
    }
  switch (trade.whenOpposite) {
    case 'reverse':
      return isForReversals(order) ? reverses(target, trade) : noReversal(symbol, scene)
    case 'close':
      return goal(target, '0')
    case 'reduce':
      return quantityType === 'fixed'
        ? takeOff(symbol, target, { shares: quantity }, scene)
        : refused('INVALID_ORDER', 'is to reduce them, which takes a quantity in shares')
    case 'refuse':
      return refused('HELD_OTHERWISE', 'is for no position on the other side')
  }
}

/** Orders that trade or end, so that a second one can follow; see `targetFaults`. */
const isForReversals = ({ orderType, timeInForce }: Order): boolean =>
  (orderType === 'market' || orderType === 'limit') &&
  (['day', 'gtc', 'ioc', 'fok'] as string[]).includes(timeInForce)

const signOf = ({ direction }: Trade): '1' | '-1' => (direction === 'buy' ? '1' : '-1')

const noReversal = (symbol: string, scene: MoveScene): MoveOutcome => ({
  what: 'refused',
  code: 'INVALID_ORDER',
  detail: `${sentence(symbol, scene)}, and to open the other side takes two orders: market or limit, and day, gtc, ioc or fok`,
})

function opens({ symbol, target, trade, order }: Traded, scene: MoveScene): MoveOutcome {
  const { from, held } = scene
  const { quantity, quantityType } = trade
  if (compare(held, '0') * compare(signOf(trade), '0') < 0)
    return isForReversals(order) ? reverses(target, trade) : noReversal(symbol, scene)
  if (quantityType === 'fixed') return goal(target, add(from, multiply(signOf(trade), quantity)))
  return { what: 'step', leg: openingBy(target, trade), isByHeld: true }
}

export const openingBy = (target: Target, trade: Trade & Size): Leg => ({
  action: trade.direction === 'buy' ? 'openLong' : 'openShort',
  quantity: trade.quantity,
  quantityType: trade.quantityType,
  ...exitsOf(target),
  target: settled(target),
})

/** Shares; with a move, the other side, opened for an amount after the close. */
interface Goal {
  what: 'goal'
  goal: Target
}

function reverses(target: MoveTarget, trade: Trade & Size): Goal {
  if (trade.quantityType === 'fixed') return goal(target, multiply(signOf(trade), trade.quantity))
  // The position may change, so the move is resolved again.
  const move = { ...trade, whenFlat: 'open', whenSame: 'nothing', whenOpposite: 'reverse' } as const
  return { what: 'goal', goal: { ...settled(target), position: signOf(trade), move } }
}

/** Drops the sender's position, which is compared once. */
export function settled<T extends Target>({ senderHolds: _, ...target }: T): Omit<T, 'senderHolds'> {
  return target
}

function inShares(target: Target, position: Decimal): Target {
  const { move: _, ...others } = settled(target)
  return { ...others, position }
}

export function goalAsSent(target: Target, action: Action): Target {
  const { move } = target
  if (move === undefined || isOpening(action)) return settled(target)
  const outcome =
    move.kind === 'trade' && move.whenOpposite === 'reverse'
      ? reverses({ ...target, move }, move)
      : goal(target, '0')
  return outcome.goal
}

const goal = (target: Target, position: Decimal): Goal => ({
  what: 'goal',
  goal: inShares(target, position),
})

function takeOff(
  symbol: string,
  target: MoveTarget,
  part: NonNullable<Close['part']>,
  scene: MoveScene,
): MoveOutcome {
  const { held, from } = scene
  const side = sideOf(from)
  const left = sideOf(held) === side ? smaller(magnitude(held), magnitude(from)) : '0'
  if (isZero(left)) return { ...nothing(symbol, scene, 'there is nothing to reduce yet'), isByHeld: true }
  const quantity =
    'shares' in part ? smaller(part.shares, left) : divideDown(multiply(left, part.percent), '100', 0)
  if (!isPositive(quantity))
    return {
      what: 'refused',
      code: 'QUANTITY_ROUNDS_TO_ZERO',
      detail: `${sentence(symbol, scene)}, and that part of them is less than one share`,
      isByHeld: true,
    }
  const rest = add(left, negate(quantity))
  const leg: Leg = {
    action: side === 'LONG' ? 'closeLong' : 'closeShort',
    quantity,
    quantityType: 'fixed',
    exit: null,
    target: inShares(target, side === 'LONG' ? rest : negate(rest)),
  }
  return { what: 'step', leg, isByHeld: true }
}

const sentence = (symbol: string, scene: ProjectedPosition): string => {
  const held = heldInWords(symbol, scene)
  return `${held.charAt(0).toUpperCase()}${held.slice(1)}`
}

const nothing = (symbol: string, scene: ProjectedPosition, why: string): MoveOutcome => ({
  what: 'nothing',
  detail: `${sentence(symbol, scene)}, and ${why}; nothing was sent`,
})
