import {
  add,
  compare,
  isPositive,
  isZero,
  magnitude,
  negate,
  subtract,
  type Decimal,
  figure,
} from '../money/decimal.ts'
import type { DenialCode } from '../risk/denial.ts'
import { heldInWords, type ProjectedPosition } from '../position/projected-position.ts'
import {
  moveInWords,
  sizeInWords,
  closingOf,
  goalAsSent,
  openingBy,
  settled,
  workOut,
  type MoveOutcome,
} from './moves.ts'
import { isOf, type Owners } from './manages.ts'
import { executionSide, isReducing, type OrderShape } from '../order/order.ts'
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
import {
  differenceInWords,
  ageAt,
  explainedBy,
  isFresh,
  mayFillNow,
  nameOfOrder,
  type LiveOrder,
  type SymbolState,
} from '../position/symbol-state.ts'
import type { OwnedShares } from '../position/ownership.ts'
import type { ShownPosition } from '../position/closing.ts'
import { MAX_POSITION_LAG_MS } from '../time/broker-clock.ts'

/** The trade for a target; reasons in decision 6. */

/** A signal on its way across zero; the position after its continuation. */
export interface Crossing {
  id: string
  position: Decimal
  /** Its continuation opens for an amount, so only the side is known. */
  isBySide: boolean
}

/** Before its order is known a target opens everything. Zero means a close. */
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

/** `cancel`: our contrary orders. `wait`: for certain holdings. */
export type TargetLook =
  | ({ held: ProjectedPosition } & (
      | { what: 'nothing'; detail: string }
      | { what: 'refused'; code: DenialCode; detail: string }
      | { what: 'order'; leg: Leg }
      /** `leg`: the rest if these orders end unfilled. */
      | { what: 'cancel'; orders: LiveOrder[]; leg: Leg | null; target: Target }
    ))
  | { what: 'wait'; why: string }

export type TargetTerms = Pick<SignalTerms, 'symbol' | 'orderType' | 'timeInForce'> & { target: Target }

export interface TargetScene {
  position: Pick<ShownPosition, 'side' | 'quantity'> | null
  symbolState: SymbolState
  crossing: Crossing | null
  dueSince: string
  owners: Owners
}

/** The next step for a target. Working entries and closes count; exits and manual orders count once filled. */
export function lookAtTarget(terms: TargetTerms, scene: TargetScene): TargetLook {
  const { symbolState, crossing } = scene
  const unsure = whyUnsure(terms.symbol, scene)
  if (unsure !== null) return { what: 'wait', why: unsure }
  const seen = standing(scene)
  const asked = askedFor(terms, seen)
  const continued = crossing && `signal ${crossing.id} is about to be continued`
  const passing = workingIn(scene).find(
    (order) => order.brokerOrderId === null || mayFillNow(order, symbolState),
  )
  const others = (leg: Leg): TargetLook | null => againstOthers(terms.symbol, leg, seen, scene)
  if (passing && asked.isByHeld) return { what: 'wait', why: `${nameOfOrder(passing)} is about to end` }
  if (continued !== null && asked.isByHeld) return { what: 'wait', why: continued }
  if (asked.what !== 'goal') return (asked.what === 'step' && others(asked.leg)) || lookOf(asked, seen)

  const { goal } = asked
  if (isThere(goal, seen)) return { what: 'nothing', held: seen, detail: atTargetDetail(terms.symbol, goal) }
  if (passing) return { what: 'wait', why: `${nameOfOrder(passing)} is about to end` }
  const against = leadingAway(goal, seen, scene)
  if (against.length > 0)
    return { what: 'cancel', held: seen, orders: against, leg: legOnceCancelled(goal, seen), target: goal }
  if (continued !== null) return { what: 'wait', why: continued }
  const leg = legFrom(goal, seen)
  return others(leg) ?? { what: 'order', held: seen, leg }
}

/** An opening order would first close another owner's opposite shares. */
function againstOthers(
  symbol: string,
  leg: Leg,
  held: Standing,
  { position, symbolState, owners }: TargetScene,
): TargetLook | null {
  if (owners === null || !isOpening(leg.action)) return null
  const side = leg.action === 'openLong' ? 'SHORT' : 'LONG'
  const shares =
    position?.side === side
      ? position.quantity
      : symbolState.shares.side === side
        ? symbolState.shares.quantity
        : '0'
  const coming = symbolState.live.find(
    (order) =>
      !isReducing(order.side) &&
      !isOf(owners, order.signalId) &&
      executionSide(order.side) !== executionSide(ENTRY_SIDE[leg.action]),
  )
  if (isZero(shares) && coming === undefined) return null
  const what = isZero(shares)
    ? `${nameOfOrder(coming!)} of others works`
    : `Others hold ${figure(shares)} ${symbol} ${side.toLowerCase()}`
  return {
    what: 'refused',
    held,
    code: 'HELD_BY_OTHERS',
    detail: `${what} in this account: ${ENTRY_SIDE[leg.action]} ${sizeInWords(leg)} would close shares that are not of this signal's sender, which manages its own`,
  }
}

interface Standing extends ProjectedPosition {
  held: Decimal
}

function standing(scene: TargetScene): Standing {
  const { position, symbolState, owners } = scene
  const crossing = scene.crossing && isOf(owners, scene.crossing.id) ? scene.crossing : null
  const held =
    owners === null
      ? signed(position?.side ?? null, position?.quantity ?? '0')
      : signed(symbolState.shares.side, ownShares(symbolState.shares.lots, owners))
  const from =
    crossing?.position ?? workingIn(scene).reduce((sum, order) => add(sum, change(order, owners)), held)
  return { held, from, isBySide: crossing?.isBySide ?? false, ...(owners !== null && { isOwn: true }) }
}

const workingIn = ({ symbolState, owners }: TargetScene): LiveOrder[] =>
  symbolState.live.filter((order) => order.role === 'entry' && !isZero(change(order, owners)))

const ownShares = (lots: readonly OwnedShares[], owners: Owners): Decimal =>
  lots.reduce<Decimal>((sum, { owner, quantity }) => (isOf(owners, owner) ? add(sum, quantity) : sum), '0')

function askedFor({ symbol, target, ...order }: TargetTerms, seen: Standing): MoveOutcome {
  const { move } = target
  return move === undefined
    ? { what: 'goal', goal: settled(target) }
    : workOut(symbol, { ...target, move }, seen, order)
}

function lookOf(asked: Exclude<MoveOutcome, { what: 'goal' }>, held: Standing): TargetLook {
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
  return workingIn(scene).filter(
    (order) =>
      isOf(scene.owners, order.signalId) &&
      (scene.crossing !== null || isOpposite(change(order, scene.owners), difference)),
  )
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

function whyUnsure(symbol: string, { position, symbolState, dueSince }: TargetScene): string | null {
  const passing = symbolState.live.find((order) => order.role !== 'entry' && mayFillNow(order, symbolState))
  if (passing) return `${nameOfOrder(passing)} is about to end`
  const shown = signed(position?.side ?? null, position?.quantity ?? '0')
  const known = signed(symbolState.shares.side, symbolState.shares.quantity)
  if (compare(shown, known) === 0) return null
  // A missing position is never believed; another difference is, once it lasts.
  const isBelieved =
    position !== null &&
    !isFresh(symbolState, MAX_POSITION_LAG_MS) &&
    explainedBy(symbolState, position).length === 0 &&
    ageAt(symbolState, dueSince) >= MAX_POSITION_LAG_MS
  return isBelieved ? null : differenceInWords(symbolState, position, symbol)
}

export const isSameLeg = (a: Leg, b: Leg): boolean =>
  a.action === b.action &&
  compare(a.quantity, b.quantity) === 0 &&
  a.quantityType === b.quantityType &&
  compare(a.target.position, b.target.position) === 0

const signed = (side: 'LONG' | 'SHORT' | null, quantity: Decimal): Decimal =>
  side === 'SHORT' ? negate(quantity) : quantity

function change({ side, open, reservedLots, signalId }: LiveOrder, owners: Owners): Decimal {
  const shares =
    owners !== null && isReducing(side)
      ? ownShares(reservedLots, owners)
      : isOf(owners, signalId)
        ? open
        : '0'
  return executionSide(side) === 'BUY' ? shares : negate(shares)
}

const isOpposite = (a: Decimal, b: Decimal): boolean => compare(a, '0') * compare(b, '0') < 0

export const TARGET_OVERRULES = 'target_overrules_quantity'
const ORDER_BY_POSITION = 'order_by_position'
export const AT_TARGET = 'AT_TARGET'
export const TARGET_SUPERSEDED = 'TARGET_SUPERSEDED'

const atTargetDetail = (symbol: string, { position }: Target): string =>
  `${symbol} is at its target of ${figure(position)} already; nothing was sent`

/** A target of account and symbol, meant later and arrived earlier. */
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
  held: ProjectedPosition,
): Advisory {
  const order = `so the order is ${ENTRY_SIDE[leg.action]} ${sizeInWords(leg)}`
  const opens = leg.target.move?.kind === 'trade' ? sizeInWords(leg.target.move) : figure(leg.target.position)
  const next = openedAcross(leg) === null ? '' : `. Once that has filled, another signal opens ${opens}`
  return move === undefined
    ? {
        code: TARGET_OVERRULES,
        message: `A position of ${figure(position)} ${symbol} is the target, and ${figure(held.from)} are held or on order, ${order}${next}`,
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
