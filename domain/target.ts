import { add, compare, isPositive, isZero, magnitude, negate, subtract, type Decimal } from './decimal.ts'
import type { DenialCode } from './denial.ts'
import { figure } from './figures.ts'
import { heldInWords, type HeldOrOnOrder } from './held-or-on-order.ts'
import { moveInWords, sizeInWords } from './move-words.ts'
import { closingOf, goalAsSent, openingBy, settled, workOut, type MoveOutcome } from './moves.ts'
import { executionSide, type OrderShape } from './order.ts'
import {
  ACTIONS,
  ENTRY_SIDE,
  exitsOf,
  goesAcross,
  isOpening,
  type Action,
  type Leg,
  type SignalTerms,
  type Size,
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

/** The trade for a target; reasons in decision 24. */

/** A signal of the symbol that is on its way across zero: the position after its continuation. */
export interface Crossing {
  id: string
  position: Decimal
  /** Its continuation opens for an amount, so only the side of the position is known. */
  isBySide: boolean
}

/** Terms of a target whose order is not known yet: all of it is opened. Zero asks for a close. */
export function beforeResolution(
  { position, move }: Pick<Target, 'position' | 'move'>,
  { action, quantity }: Pick<SignalTerms, 'action' | 'quantity'>,
): Pick<Leg, 'action' | 'quantity'> {
  if (isZero(position)) return { action: (move && closingOf(move)) ?? CLOSING_OF[action], quantity }
  return move === undefined ? opening(position) : { ...opening(position), quantity }
}

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

const closing = (held: Decimal, quantity: Decimal): Pick<Leg, 'action' | 'quantity' | 'exit'> => ({
  action: isPositive(held) ? 'closeLong' : 'closeShort',
  quantity,
  exit: null,
})

export function legAsSent(target: Target, { side, quantity }: Pick<OrderShape, 'side' | 'quantity'>): Leg {
  const action = ACTIONS.find((one) => ENTRY_SIDE[one] === side)!
  return {
    action,
    quantity,
    quantityType: 'fixed',
    ...(isOpening(action) ? exitsOf(target) : { exit: null }),
    target: goalAsSent(target, action),
  }
}

/** Nothing, an order, the end of our orders that lead away, a denial, or a wait for certain holdings. */
export type TargetLook =
  | ({ held: HeldOrOnOrder } & (
      | { what: 'nothing'; detail: string }
      | { what: 'refused'; code: DenialCode; detail: string }
      | { what: 'order'; leg: Leg }
      /** `leg`: what remains where these orders end without another fill. */
      | { what: 'cancel'; orders: LiveOrder[]; leg: Leg | null; target: Target }
    ))
  | { what: 'wait'; why: string }

type TargetAhead = Extract<TargetLook, { what: 'nothing' | 'refused' | 'order' }>

export type TargetTerms = Pick<SignalTerms, 'symbol' | 'orderType' | 'timeInForce'> & { target: Target }

export interface TargetScene {
  position: Pick<ShownPosition, 'side' | 'quantity'> | null
  book: SymbolBook
  crossing: Crossing | null
  dueSince: string
}

/** Counts working orders of signals that enter or close; exits and manual orders count once they have filled. */
export function lookAtTarget(terms: TargetTerms, scene: TargetScene): TargetLook {
  const { book, crossing } = scene
  const unsure = whyUnsure(terms.symbol, scene)
  if (unsure !== null) return { what: 'wait', why: unsure }
  const seen = standing(scene)
  const asked = askedFor(terms, seen)
  const continued = crossing && `signal ${crossing.id} is about to be continued`
  const passing = workingIn(scene).find((order) => order.brokerOrderId === null || mayFillNow(order, book))
  if (passing && asked.isByHeld) return { what: 'wait', why: `${nameOfOrder(passing)} is about to end` }
  if (continued !== null && asked.isByHeld) return { what: 'wait', why: continued }
  if (asked.what !== 'goal') return lookOf(asked, seen)

  const { goal } = asked
  if (isThere(goal, seen)) return { what: 'nothing', held: seen, detail: atTargetDetail(terms.symbol, goal) }
  if (passing) return { what: 'wait', why: `${nameOfOrder(passing)} is about to end` }
  const against = leadingAway(goal, seen, scene)
  if (against.length > 0)
    return { what: 'cancel', held: seen, orders: against, leg: legOnceCancelled(goal, seen), target: goal }
  if (continued !== null) return { what: 'wait', why: continued }
  return { what: 'order', held: seen, leg: legFrom(goal, seen) }
}

/** The same for a dry run, which waits for nothing: working orders fill, or are cancelled where they lead away. */
export function lookAhead(terms: TargetTerms, scene: TargetScene): TargetAhead {
  const known = standing(scene)
  const { isBySide } = known
  const seen = scene.crossing === null || isBySide ? known : { ...known, held: known.from }
  const asked = askedFor(terms, seen)
  if (asked.what !== 'goal') return lookOf(asked, seen)
  const { goal } = asked
  // How many shares a signal on its way will open is not known: it is cancelled for every other position.
  const isCancelled = isBySide || (leadingAway(goal, known, scene).length > 0 && scene.crossing === null)
  const leg = isCancelled ? legOnceCancelled(goal, seen) : isThere(goal, seen) ? null : legFrom(goal, seen)
  return leg === null
    ? { what: 'nothing', held: seen, detail: atTargetDetail(terms.symbol, goal) }
    : { what: 'order', held: seen, leg }
}

interface Standing extends HeldOrOnOrder {
  held: Decimal
}

function standing(scene: TargetScene): Standing {
  const { position, crossing } = scene
  const held = signed(position?.side ?? null, position?.quantity ?? '0')
  const from = crossing?.position ?? workingIn(scene).reduce((sum, order) => add(sum, change(order)), held)
  return { held, from, isBySide: crossing?.isBySide ?? false }
}

const workingIn = ({ book }: TargetScene): LiveOrder[] => book.live.filter(({ role }) => role === 'entry')

function askedFor({ symbol, target, ...order }: TargetTerms, seen: Standing): MoveOutcome {
  const { move } = target
  return move === undefined
    ? { what: 'goal', goal: settled(target) }
    : workOut(symbol, { ...target, move }, seen, order)
}

function lookOf(asked: Exclude<MoveOutcome, { what: 'goal' }>, held: Standing): TargetAhead {
  switch (asked.what) {
    case 'nothing':
      return { what: 'nothing', held, detail: asked.detail }
    case 'refused':
      return { what: 'refused', held, code: asked.code, detail: asked.detail }
    case 'step':
      return { what: 'order', held, leg: asked.leg }
  }
}

const isThere = ({ position }: Target, { from, isBySide }: Standing): boolean =>
  !isBySide && compare(position, from) === 0

function leadingAway(goal: Target, { from }: Standing, scene: TargetScene): LiveOrder[] {
  const difference = subtract(goal.position, from)
  return workingIn(scene).filter((order) => scene.crossing !== null || isOpposite(change(order), difference))
}

const legOnceCancelled = (goal: Target, { held }: Standing): Leg | null =>
  compare(goal.position, held) === 0 ? null : legFrom(goal, { held, from: held })

function legFrom(goal: Target, { held, from }: Pick<Standing, 'held' | 'from'>): Leg {
  const difference = subtract(goal.position, from)
  const inShares = { quantityType: 'fixed', target: goal } as const
  if (isZero(held) || !isOpposite(held, difference)) {
    const { move } = goal
    return move?.kind === 'trade'
      ? openingBy(goal, move)
      : { ...opening(difference), ...exitsOf(goal), ...inShares }
  }
  const isAcross = isOpposite(held, goal.position)
  return { ...closing(held, isAcross ? magnitude(held) : magnitude(difference)), ...inShares }
}

export function crossingIn(
  earlier: readonly { id: string; action: Action; target?: Target | null }[],
): Crossing | null {
  const newest = earlier.findLast(goesAcross)
  if (!newest?.target) return null
  const { position, move } = newest.target
  return { id: newest.id, position, isBySide: move !== undefined }
}

function whyUnsure(symbol: string, { position, book, dueSince }: TargetScene): string | null {
  const passing = book.live.find((order) => order.role !== 'entry' && mayFillNow(order, book))
  if (passing) return `${nameOfOrder(passing)} is about to end`
  const shown = signed(position?.side ?? null, position?.quantity ?? '0')
  const known = signed(book.shares.side, book.shares.quantity)
  if (compare(shown, known) === 0) return null
  // A missing position is never believed; another one is, once it has lasted.
  const isBelieved =
    position !== null &&
    !isFresh(book, MAX_POSITION_LAG_MS) &&
    explaining(book, position).length === 0 &&
    ageAt(book, dueSince) >= MAX_POSITION_LAG_MS
  return isBelieved ? null : differenceInWords(book, position, symbol)
}

export const isSameLeg = (a: Leg, b: Leg): boolean =>
  a.action === b.action &&
  compare(a.quantity, b.quantity) === 0 &&
  a.quantityType === b.quantityType &&
  compare(a.target.position, b.target.position) === 0

const signed = (side: 'LONG' | 'SHORT' | null, quantity: Decimal): Decimal =>
  side === 'SHORT' ? negate(quantity) : quantity

const change = ({ side, open }: LiveOrder): Decimal => (executionSide(side) === 'BUY' ? open : negate(open))

const isOpposite = (a: Decimal, b: Decimal): boolean => compare(a, '0') * compare(b, '0') < 0

export const TARGET_OVERRULES = 'target_overrules_quantity'
const ORDER_BY_POSITION = 'order_by_position'
export const AT_TARGET = 'AT_TARGET'
export const TARGET_SUPERSEDED = 'TARGET_SUPERSEDED'

const atTargetDetail = (symbol: string, { position }: Target): string =>
  `${symbol} is at its target of ${figure(position)} already; nothing was sent`

/** A target of account and symbol that was meant later and arrived earlier. */
export interface NewerTarget {
  signalId: string
  position: Decimal
  at: string
}

export const supersededDetail = (symbol: string, { position, at }: Target, newer: NewerTarget): string =>
  `The target of ${figure(position)} ${symbol} was meant at ${at}; signal ${newer.signalId}, which came before, says ${figure(newer.position)} and was meant later, at ${newer.at}. Nothing was sent`

export function openedAcross(leg: Leg): (Size & { action: 'openLong' | 'openShort' }) | null {
  if (!goesAcross(leg)) return null
  const { position, move } = leg.target
  const action = isPositive(position) ? 'openLong' : 'openShort'
  return move?.kind === 'trade'
    ? { action, quantity: move.quantity, quantityType: move.quantityType }
    : { action, quantity: magnitude(position), quantityType: 'fixed' }
}

export function tradedForTarget(
  symbol: string,
  { position, move }: Target,
  leg: Leg,
  held: HeldOrOnOrder,
): Advisory {
  const order = `so the order is ${ENTRY_SIDE[leg.action]} ${sizeInWords(leg)}`
  const opens = leg.target.move?.kind === 'trade' ? sizeInWords(leg.target.move) : figure(leg.target.position)
  const next = openedAcross(leg) === null ? '' : `. Once that has filled, another signal opens ${opens}`
  return move === undefined
    ? {
        code: TARGET_OVERRULES,
        message: `A position of ${figure(position)} ${symbol} is wanted, and ${figure(held.from)} are held or on order, ${order}${next}`,
      }
    : {
        code: ORDER_BY_POSITION,
        message: `${moveInWords(symbol, move)}: ${heldInWords(symbol, held)}, ${order}${next}`,
      }
}

interface Advisory {
  code: string
  message: string
}
