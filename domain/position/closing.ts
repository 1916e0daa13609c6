import { POSITION_HELD } from '../signal/advisory.ts'
import { MAX_POSITION_LAG_MS } from '../time/broker-clock.ts'
import { mostOf, ownedOf, restingOf, theirsOf } from './closing-owners.ts'
import {
  add,
  compare,
  isPositive,
  smaller,
  subtract,
  type Decimal,
  figure,
  shareCount,
} from '../money/decimal.ts'
import type { EntryDecision, EntryTerms } from '../risk/entry-check.ts'
import { oppositeOrderAction } from '../order/opposite-orders.ts'
import { executionSide, isReducing, type OrderRequest } from '../order/order.ts'
import {
  differenceInWords,
  unseenShares,
  ageAt,
  claimsOf,
  closings,
  blockingOrders,
  isFresh,
  nameOfOrder,
  missingAtBroker,
  isFrozen,
  unseenBy,
  type LiveOrder,
  type SymbolState,
} from './symbol-state.ts'
import { divide, type Closer, type OwnedShares } from './ownership.ts'
import { ENTRY_SIDE } from '../signal/signal.ts'

/** Milliseconds of waiting for orders in flight that take all shares. */
const IN_FLIGHT_PATIENCE = 15_000
/** Milliseconds of waiting for the record of a needed entry. */
const RECORD_PATIENCE = 15_000

export interface ShownPosition {
  side: 'LONG' | 'SHORT'
  quantity: Decimal
  availableQuantity: Decimal
}

export interface Closing {
  terms: EntryTerms
  closer: Closer
  /** Signals whose shares it closes; absent for all. */
  owners?: readonly string[] | undefined
  /** Before the position's first request; UTC, by the database's clock. */
  asOf: string
  /** UTC, by the database's clock. */
  dueSince: string
  judge(closable: Decimal, position: ShownPosition | null): EntryDecision
}

export interface ClosingScene {
  position: ShownPosition | null
  symbolState: SymbolState
  /** Null until the broker was asked. */
  holders: string | null
}

export type ClosingDecision = EntryDecision & {
  reservedLots?: OwnedShares[]
  /** UTC; later than its acceptance permitted. */
  sendBefore?: string
}

/**
 * A decision, or a precondition: the end of blocking or opposite orders, the list of holders, a position with a recent
 * fill. `otherwise`: the decision after a vain wait. `isOld`: nothing recent of ours explains the missing shares.
 */
export type ClosingLook =
  | { decided: ClosingDecision }
  | { blockingOrders: LiveOrder[] }
  | { asks: 'holders' }
  | { waits: string; until: 'position is shown' | LiveOrder; isOld?: true }
  | { waits: string; otherwise: ClosingDecision }

/** The next step of a close. Our resting orders that block it are cancelled first. */
export function lookAtClosing(
  { terms, closer, owners, asOf, dueSince, judge: judgeAll }: Closing,
  scene: ClosingScene,
): ClosingLook {
  const { holders, position, symbolState } = scene
  // A percentage concerns the owners' shares.
  const judge: Closing['judge'] = (closable, shown) =>
    judgeAll(closable, shown && { ...shown, quantity: ownedOf(owners, symbolState, shown.quantity) })
  const side = ENTRY_SIDE[terms.action]
  const closes = side === 'SELL' ? 'LONG' : 'SHORT'
  const held = position?.side === closes ? position.quantity : '0'
  const owned = symbolState.shares.side === closes ? symbolState.shares.quantity : '0'
  const unseen =
    owned === '0' ? null : unseenOf({ terms, dueSince, judge }, { position, symbolState, held, owned })
  if (unseen !== null) return unseen
  if (compare(held, owned) > 0 && symbolState.changedAt !== null && symbolState.changedAt >= asOf)
    return {
      waits: `${terms.symbol} was traded after the broker was asked for the position`,
      until: 'position is shown',
    }
  const theirs = restingOf(owners, symbolState)
  if (theirs.length > 0) return { blockingOrders: theirs }
  const most = mostOf(owners, symbolState, held)
  const wanted = judge(most, position)
  if (wanted.outcome === 'denied') return { decided: wanted }

  const free = subtract(position!.availableQuantity, unseenBy(symbolState.live, asOf))
  const short = subtract(wanted.quantity, free)
  const resting = closings(symbolState.live).filter((order) => isFrozen(order, symbolState))
  const movable = blockingOrders(resting, short)
  if (movable.length > 0) return { blockingOrders: movable }
  const atAnyPrice = {
    side,
    timeInForce: terms.timeInForce,
    limitPrice: terms.limitPrice,
    orderType: terms.orderType,
  }
  if (isPositive(free) && terms.stopPrice === null) {
    const opposite = oppositeOrderAction(atAnyPrice, symbolState, null)
    if (opposite.what === 'wait')
      return {
        waits: `${nameOfOrder(opposite.order)} is on the other side and about to end`,
        until: opposite.order,
      }
    if (opposite.what === 'cancel') return { blockingOrders: opposite.orders }
  }
  if (!isPositive(short)) return withReservedLots(wanted, { closes, closer, owners, dueSince }, scene)

  const ours = closings(symbolState.live)
  if (ours.length === 0 && holders === null) return { asks: 'holders' }
  const by = ours.length > 0 ? `orders of ours close them: ${ours.map(nameOfOrder).join(', ')}` : holders
  if (!isPositive(free)) {
    const detail = `None of the ${figure(held)} ${terms.symbol} held can be closed: ${by}`
    const denied = { outcome: 'denied', code: 'POSITION_HELD', detail } as const
    if (ours.length > 0 && ageAt(symbolState, dueSince) < IN_FLIGHT_PATIENCE)
      return { waits: detail, otherwise: denied }
    return { decided: denied }
  }
  const decision = judge(smaller(free, most), position)
  if (decision.outcome === 'denied') return { decided: decision }
  const advisories =
    ours.length > 0
      ? decision.advisories
      : [
          ...decision.advisories,
          { code: POSITION_HELD, message: `${shareCount(short)} could not be closed: ${by}` },
        ]
  return withReservedLots({ ...decision, advisories }, { closes, closer, owners, dueSince }, scene)
}

/** A missing position is never believed while the close is in time; a partial one is, once it lasts. */
function unseenOf(
  { terms, dueSince, judge }: Pick<Closing, 'terms' | 'dueSince' | 'judge'>,
  {
    position,
    symbolState,
    held,
    owned,
  }: Pick<ClosingScene, 'position' | 'symbolState'> & { held: Decimal; owned: Decimal },
): ClosingLook | null {
  if (!isPositive(missingAtBroker(symbolState, position))) return null
  if (isFresh(symbolState, MAX_POSITION_LAG_MS))
    return {
      waits: `the broker does not show yet that ${figure(symbolState.shares.quantity)} ${terms.symbol} are held since a moment ago`,
      until: 'position is shown',
    }
  const [all, shown] = [judge(owned, position), judge(held, position)]
  if (all.outcome === 'denied') return { decided: all }
  const isEnough = shown.outcome === 'ready' && compare(shown.quantity, all.quantity) >= 0
  const isWhatThereIs = isPositive(held) && ageAt(symbolState, dueSince) >= MAX_POSITION_LAG_MS
  if (isEnough || isWhatThereIs) return null
  return {
    waits: differenceInWords(symbolState, position, terms.symbol),
    until: 'position is shown',
    ...(isPositive(unseenShares(symbolState, position)) && { isOld: true }),
  }
}

/** Missing shares at the broker were sold by an unknown order. */
export function isStillThere(
  symbolState: SymbolState,
  position: Pick<ShownPosition, 'side' | 'quantity'> | null,
  { clientOrderId, side, quantity }: Pick<OrderRequest, 'clientOrderId' | 'side' | 'quantity'>,
): boolean {
  const closes = side === 'SELL' ? 'LONG' : 'SHORT'
  if (position?.side !== closes || compare(position.quantity, quantity) < 0) return false
  if (symbolState.shares.side !== null && isPositive(missingAtBroker(symbolState, position))) return false
  const reservedLots =
    symbolState.live.find((order) => order.clientOrderId === clientOrderId)?.reservedLots ?? []
  const held = (owner: string | null): Decimal =>
    symbolState.shares.side === closes ? symbolState.shares.of(owner) : '0'
  return reservedLots.every((part) => compare(held(part.owner), part.quantity) >= 0)
}

/**
 * Reserves the order's lots. If the broker shows more than the fills, an unrecorded entry may have bought the rest:
 * without its shares the close would take the oldest lots, perhaps an exit's. If not, the broker's position may be
 * outdated.
 */
function withReservedLots(
  decision: Extract<EntryDecision, { outcome: 'ready' }>,
  {
    closes,
    closer,
    owners,
    dueSince,
  }: Pick<Closing, 'closer' | 'owners' | 'dueSince'> & { closes: 'LONG' | 'SHORT' },
  { symbolState }: ClosingScene,
): ClosingLook {
  const { shares, live } = symbolState
  const opens = closes === 'LONG' ? 'BUY' : 'SELL'
  const lots = shares.side === closes ? theirsOf(owners, shares).lots : []
  // A person sells their own shares; an exit that adopted them shrinks.
  const claims = claimsOf(live.filter(({ signalId }) => signalId === null || signalId !== shares.adopter))
  const allot = (from: readonly OwnedShares[]): OwnedShares[] =>
    shares.withLots(closes, from).without(claims).allot(decision.quantity, closer)
  const recorded = allot(lots)
  const missing = recorded.reduce<Decimal>((left, part) => subtract(left, part.quantity), decision.quantity)
  const entries = live.filter(
    ({ side, open }) => !isReducing(side) && executionSide(side) === opens && isPositive(open),
  )
  const toCome = entries.reduce<Decimal>((sum, { open }) => add(sum, open), '0')
  if (compare(missing, toCome) > 0 && isFresh(symbolState, MAX_POSITION_LAG_MS))
    return {
      waits: `the broker still shows ${shareCount(missing)} that are not left by the fills of a moment ago`,
      until: 'position is shown',
    }
  const unlisted = symbolState.unattributed.includes(opens)
    ? entries.filter(({ brokerOrderId }) => brokerOrderId === null)
    : []
  const isDoubtful =
    isPositive(missing) || (unlisted.length > 0 && recorded.some(({ owner }) => owner === null))
  if (entries.length === 0 || !isDoubtful) return { decided: taking(decision, recorded) }

  const { named, left } = nameOwners(lots, unlisted.map(sharesOf))
  const others = entries.filter((entry) => !unlisted.includes(entry)).map(sharesOf)
  const decided = taking(decision, allot([...named, ...left, ...others]))
  // Manual orders' shares belong to no signal.
  const ofSignals = entries.filter(({ signalId }) => signalId !== null)
  if (ofSignals.length === 0 || ageAt(symbolState, dueSince) >= RECORD_PATIENCE) return { decided }
  const names = ofSignals.map(nameOfOrder).join(' and ')
  return { waits: `its shares may be those of ${names}, not recorded yet`, otherwise: decided }
}

const sharesOf = ({ signalId, open }: LiveOrder): OwnedShares => ({ owner: signalId, quantity: open })

/** Assigns the newest unowned lots to these shares. `lots`: oldest first. */
function nameOwners(
  lots: readonly OwnedShares[],
  shares: readonly OwnedShares[],
): { named: OwnedShares[]; left: OwnedShares[] } {
  let left = [...shares]
  const named = lots.toReversed().flatMap((lot) => {
    if (lot.owner !== null) return [lot]
    const { first, rest } = divide(left, lot.quantity)
    left = rest
    const unnamed = first.reduce<Decimal>((sum, part) => subtract(sum, part.quantity), lot.quantity)
    return isPositive(unnamed) ? [...first, { owner: null, quantity: unnamed }] : first
  })
  return { named: named.toReversed(), left }
}

const taking = (
  decision: Extract<EntryDecision, { outcome: 'ready' }>,
  reservedLots: OwnedShares[],
): ClosingDecision => (reservedLots.length === 0 ? decision : { ...decision, reservedLots })
