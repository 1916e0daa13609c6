import { add, compare, isPositive, isZero, magnitude, negate, subtract, type Decimal } from './decimal.ts'
import { figure, shareCount } from './figures.ts'
import { executionSide, type OrderShape } from './order.ts'
import {
  ACTIONS,
  ENTRY_SIDE,
  goesAcross,
  isOpening,
  type Action,
  type Leg,
  type SignalTerms,
  type Target,
} from './signal.ts'
import { differenceInWords } from './shown-position.ts'
import type { ShownPosition } from './closing.ts'
import { MAX_POSITION_LAG_MS } from './broker-lags.ts'
import {
  ageAt,
  explaining,
  isFresh,
  mayFillNow,
  nameOfOrder,
  type LiveOrder,
  type SymbolBook,
} from './symbol-book.ts'

/**
 * What is traded for a target. `docs/decisions/0024-target-position.md` gives the reasons.
 */

/** A signal of the symbol that is on its way across zero: what will be held once its continuation is done as well. */
export interface Crossing {
  id: string
  /** Shares; below zero for a short position. */
  position: Decimal
}

/**
 * What is asked for by a target whose order is not known yet, in the terms of a signal: all of it is opened. Zero asks for a close.
 */
export const beforeResolution = (
  position: Decimal,
  { action, quantity }: Pick<SignalTerms, 'action' | 'quantity'>,
): Pick<Leg, 'action' | 'quantity'> =>
  isZero(position) ? { action: CLOSING_OF[action], quantity } : opening(position)

const CLOSING_OF: Record<Action, Action> = {
  openLong: 'closeLong',
  closeLong: 'closeLong',
  openShort: 'closeShort',
  closeShort: 'closeShort',
}

const opening = (shares: Decimal): Pick<Leg, 'action' | 'quantity'> => ({
  action: isPositive(shares) ? 'openLong' : 'openShort',
  quantity: magnitude(shares),
})

const closing = (held: Decimal, quantity: Decimal): Leg => ({
  action: isPositive(held) ? 'closeLong' : 'closeShort',
  quantity,
  exit: null,
})

/** The part of a target of an order that was sent before. */
export function legAsSent({ exit }: Target, { side, quantity }: Pick<OrderShape, 'side' | 'quantity'>): Leg {
  const action = ACTIONS.find((one) => ENTRY_SIDE[one] === side)!
  return { action, quantity, exit: isOpening(action) ? exit : null }
}

/**
 * What has to be done for a target: nothing, one order, or something that has to come first: orders of ours that lead away from it
 * have to end, or what is held is not known at this moment.
 */
export type TargetLook =
  | { what: 'nothing' }
  | { what: 'order'; leg: Leg; from: Decimal }
  /** The leg that remains where these orders end without another fill. */
  | { what: 'cancel'; orders: LiveOrder[]; leg: Leg | null }
  | { what: 'wait'; why: string }

export interface TargetScene {
  /** As the broker shows it. */
  position: Pick<ShownPosition, 'side' | 'quantity'> | null
  book: SymbolBook
  /** The newest signal that is on its way across zero; null when there is none. */
  crossing: Crossing | null
  /** Since when the order is to be sent; UTC, by the database's clock. */
  dueSince: string
}

/**
 * Looks at what is held and at what orders of signals that enter or close will still change of it. Exits and orders of people that
 * rest are no part of it: they count once they have filled.
 */
export function lookAtTarget(symbol: string, target: Target, scene: TargetScene): TargetLook {
  const { book, crossing } = scene
  const unsure = whyUnsure(symbol, scene)
  if (unsure !== null) return { what: 'wait', why: unsure }
  const { held, from } = standing(scene)
  const working = book.live.filter(({ role }) => role === 'entry')
  const difference = subtract(target.position, from)
  if (isZero(difference)) return { what: 'nothing' }

  const passing = working.find((order) => order.brokerOrderId === null || mayFillNow(order, book))
  if (passing) return { what: 'wait', why: `${nameOfOrder(passing)} is about to end` }
  const against = working.filter((order) => crossing !== null || isOpposite(change(order), difference))
  if (against.length > 0) {
    const isHeld = isZero(subtract(target.position, held))
    const leg = isHeld ? null : legFrom(target, { held, from: held })
    return { what: 'cancel', orders: against, leg }
  }
  if (crossing !== null) return { what: 'wait', why: `signal ${crossing.id} is about to be continued` }

  return { what: 'order', leg: legFrom(target, { held, from }), from }
}

/**
 * The order for a target as if all that works had ended as it was to, for a look ahead that waits for nothing; null where nothing is
 * missing then.
 */
export function legAhead(target: Target, scene: TargetScene): { leg: Leg; from: Decimal } | null {
  const { held, from } = standing(scene)
  if (compare(from, target.position) === 0) return null
  const isHeld = scene.crossing === null
  return { leg: legFrom(target, { held: isHeld ? held : from, from }), from }
}

/** The position that is held, and the one when all orders under way have filled. */
function standing({ position, book, crossing }: TargetScene): { held: Decimal; from: Decimal } {
  const held = signed(position?.side ?? null, position?.quantity ?? '0')
  const working = book.live.filter(({ role }) => role === 'entry')
  const from = crossing?.position ?? working.reduce((sum, order) => add(sum, change(order)), held)
  return { held, from }
}

function legFrom(target: Target, { held, from }: { held: Decimal; from: Decimal }): Leg {
  const difference = subtract(target.position, from)
  if (isZero(held) || !isOpposite(held, difference)) return { ...opening(difference), exit: target.exit }
  const isAcross = isOpposite(held, target.position)
  return closing(held, isAcross ? magnitude(held) : magnitude(difference))
}

/** The newest of the signals before one that is on its way across zero; null when there is none. */
export function crossingIn(
  earlier: readonly { id: string; action: Action; target?: Target | null }[],
): Crossing | null {
  const newest = earlier.findLast(goesAcross)
  return newest?.target ? { id: newest.id, position: newest.target.position } : null
}

/** Why what is held is not known at this moment, in words; null when it is. */
function whyUnsure(symbol: string, { position, book, dueSince }: TargetScene): string | null {
  const passing = book.live.find((order) => order.role !== 'entry' && mayFillNow(order, book))
  if (passing) return `${nameOfOrder(passing)} is about to end`
  const shown = signed(position?.side ?? null, position?.quantity ?? '0')
  const known = signed(book.shares.side, book.shares.quantity)
  if (compare(shown, known) === 0) return null
  // Of a position that is not shown at all nothing is believed; of another one, what is shown once that has lasted.
  const isBelieved =
    position !== null &&
    !isFresh(book, MAX_POSITION_LAG_MS) &&
    explaining(book, position).length === 0 &&
    ageAt(book, dueSince) >= MAX_POSITION_LAG_MS
  return isBelieved ? null : differenceInWords(book, position, symbol)
}

/** Whether both are the same order, so that a decision on the one is a decision on the other. */
export const isSameLeg = (a: Leg, b: Leg): boolean =>
  a.action === b.action && compare(a.quantity, b.quantity) === 0

const signed = (side: 'LONG' | 'SHORT' | null, quantity: Decimal): Decimal =>
  side === 'SHORT' ? negate(quantity) : quantity

/** The shares by which an order will still change the position. */
const change = ({ side, open }: LiveOrder): Decimal => (executionSide(side) === 'BUY' ? open : negate(open))

const isOpposite = (a: Decimal, b: Decimal): boolean => compare(a, '0') * compare(b, '0') < 0

/** The advisory of a signal whose target was taken. */
export const TARGET_OVERRULES = 'target_overrules_quantity'
/** Why a signal ends for which nothing had to be traded. */
export const AT_TARGET = 'AT_TARGET'
/** Why a signal ends whose sender has meant another target since. */
export const TARGET_SUPERSEDED = 'TARGET_SUPERSEDED'

/** That nothing had to be traded, in words. */
export const atTargetDetail = (symbol: string, { position }: Target): string =>
  `${symbol} is at its target of ${figure(position)} already; nothing was sent`

/** A target that was meant later and came before, of the same account and symbol. */
export interface NewerTarget {
  signalId: string
  position: Decimal
  /** UTC instant. */
  at: string
}

/** That nothing is traded for a target because a newer one came before, in words. */
export const supersededDetail = (symbol: string, { position, at }: Target, newer: NewerTarget): string =>
  `The target of ${figure(position)} ${symbol} was meant at ${at}; signal ${newer.signalId}, which came before, says ${figure(newer.position)} and was meant later, at ${newer.at}. Nothing was sent`

/** The trade for a target, in words. */
export function tradedForTarget(symbol: string, target: Target, leg: Leg, from: Decimal): string {
  const first = `targetPosition ${figure(target.position)} overrules action and quantity: ${figure(from)} ${symbol} are held or on order, so the order is ${ENTRY_SIDE[leg.action]} ${shareCount(leg.quantity)}`
  const next = goesAcross({ ...leg, target })
    ? `. Once that has filled, another signal opens ${figure(target.position)}`
    : ''
  return `${first}${next}`
}
