import { isDeepStrictEqual } from 'node:util'
import type { BookedSplit, Broker, BrokerPosition } from '#brokers/port.ts'
import { nextPart } from '#domain/auction-part.ts'
import {
  add,
  compare,
  divideDown,
  isPositive,
  isZero,
  negate,
  smaller,
  subtract,
  type Decimal,
} from '#domain/decimal.ts'
import { figure } from '#domain/figures.ts'
import { correctionBy } from '#domain/broker-clock.ts'
import type { ExitTerms, ShownBeyond } from '#domain/exit.ts'
import { resolveExitTime, takesOrdersAt } from '#domain/exit-time.ts'
import { executionSide } from '#domain/order.ts'
import { oppositeOrderAction } from '#domain/opposite-orders.ts'
import { differenceInWords, sharesBeyond } from '#domain/shown-position.ts'
import {
  ageAt,
  closings,
  blockingOrders,
  explaining,
  isFresh,
  mayBeTakenForForeign,
  mayFillNow,
  nameOfOrder,
  notShown,
  standsStill,
  type LiveOrder,
  type SymbolBook,
} from '#domain/symbol-book.ts'
import { POSITION_LAG_MS } from '#domain/broker-lags.ts'
import type { ExitOrderTerms, SizedExit, SizeExitInput } from '../contract.ts'
import { haltDenial, type ActiveHalt } from '#domain/halt.ts'
import { unspent, type ChosenSize, type ExitStanding } from '#domain/chosen-size.ts'
import { asSent, clientOrderIdOf, findItself, keyOf, type SentExit } from './sent-exit.ts'
import { beyondInWords, explainingSplit, foreignOpposite, recentSplits } from './beyond-fills.ts'
import { halted, outcomeUnknown } from '../failures.ts'
import type { TradingSession } from '#domain/session.ts'
import { foreignHolders } from '#brokers/foreign-holders.ts'
import { believedPrice, noneIfAway } from '#brokers/last-price.ts'
import type { BrokerClocks } from '../broker-clocks.ts'
import { priceQuestion } from '../ask-market.ts'
import type { SessionCalendar } from '../session-calendar.ts'
import { CANCEL_ROUNDS } from '../order/cancel-blocking.ts'

/** Milliseconds for which a due exit waits for a price of the broker. */
const PRICE_WITHIN = 10_000

/** `basis`: facts in words. `leaves`: shares left without an exit. `stopped`: given up. `price`: the market's then. */
export type KeptExit = SizedExit & {
  order?: ExitOrderTerms
  coveredBefore?: Decimal
  sizedAt?: string
  basis?: string
  leaves?: Decimal
  price?: Decimal
  stopped?: true
}

export interface SizeExitDependencies {
  readDecision(signalId: string, key: string): Promise<KeptExit | null>
  /** Under the lock. `books`: shares (negative: sold) that no execution explains and the owner has acknowledged. */
  decideUnderLock<T>(
    accountId: string,
    symbol: string,
    decide: (
      book: SymbolBook,
      keep: (signalId: string, key: string, sized: KeptExit, books?: Decimal) => Promise<KeptExit>,
    ) => Promise<T>,
  ): Promise<T>
  standingOf(signalId: string): Promise<ExitStanding>
  haltOf(accountId: string): Promise<ActiveHalt | null>
  brokerFor(accountId: string): Promise<Broker>
  /** Throws a retryable failure while orders of ours that give way were asked to end a moment ago. */
  assertGivenWay(accountId: string, symbol: string, clientOrderId: string): Promise<void>
  /** Throws a retryable failure until they have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  calendar: SessionCalendar
  clocks: Pick<BrokerClocks, 'offsetOf'>
  zoneOf(accountId: string): Promise<string>
  now(): number
}

/** `asks`: a request to the broker that is needed first, and too slow under the lock. */
type Look =
  | { sized: SizedExit; books?: Decimal }
  | { blockingOrders: LiveOrder[] }
  | { asks: 'holders' | 'lastPrice' | 'itself' | 'opposite' | 'splits' }

interface Asked {
  position: BrokerPosition | null
  holders?: string
  lastPrice?: Decimal | null
  /** This very exit's order: the ledger may have been rolled back since. */
  itself?: SentExit | null
  splits?: BookedSplit[]
  opposite?: LiveOrder[]
}

/**
 * The signal's own open shares (see `domain/ownership.ts`), and never more than are held: an exit sells no other
 * signal's shares and opens no position. Or the next opening, when the calendar has changed: some brokers would
 * queue the order, others reject it. Or the obstacle.
 * Our orders that hold the shares, or would make the broker reject the exit, are cancelled first; where possible
 * a market exit becomes a limit order that avoids the latter. While the broker shows more shares than anything
 * explains, the owner has to choose. A full stop throws a retryable failure `Halted`.
 * The first size is stored and returned again for its generation: a retry would find a position that the exit
 * itself has changed.
 */
export async function sizeExit(deps: SizeExitDependencies, input: SizeExitInput): Promise<SizedExit> {
  const { signalId, accountId, symbol, rule, isFor } = input
  const clientOrderId = clientOrderIdOf(input)
  const before = await deps.readDecision(signalId, keyOf(input))
  if (before?.stopped) return GIVEN_UP
  if (before !== null) return sizeIn(before, input)
  // By the time that it is lifted, the position may be another one.
  const halt = await deps.haltOf(accountId)
  if (halt?.level === 'fullStop') throw halted(haltDenial(halt).detail)
  const notBefore = await closedUntil(deps, accountId, rule)
  if (notBefore !== null) return { quantity: null, coversQuantity: null, notBefore }

  await deps.assertGivenWay(accountId, symbol, clientOrderId)
  const standing = await deps.standingOf(signalId)
  const broker = await deps.brokerFor(accountId)
  const asked: Asked = { position: null }
  for (let round = 1; ; round += 1) {
    asked.position = await broker.getPosition(symbol)
    const look = await deps.decideUnderLock<Look>(accountId, symbol, async (book, keep) => {
      const found = decide(input, asked, book, standing)
      if (!('sized' in found) || found.sized.quantity === null) return found
      const leaves = subtract(input.filledQuantity, found.sized.coversQuantity)
      const kept = {
        ...(isFor && { order: { isFor, terms: rule } }),
        ...found.sized,
        coveredBefore: input.coveredQuantity,
        ...(isPositive(leaves) && { leaves }),
        sizedAt: book.asOf,
        basis: basisOf(asked, book),
        ...marketPrice(asked),
      }
      return { sized: sizeIn(await keep(signalId, keyOf(input), kept, found.books), input) }
    })
    if ('sized' in look) return look.sized
    if (round === CANCEL_ROUNDS)
      throw outcomeUnknown('orders that blocked the exit have ended, and new ones have come')
    if ('blockingOrders' in look)
      await deps.cancelBlockingOrders(accountId, clientOrderId, look.blockingOrders)
    else if (look.asks === 'itself') asked.itself = await findItself(broker, input)
    else if (look.asks === 'opposite') asked.opposite = await foreignOpposite(broker, symbol, input.side)
    else if (look.asks === 'splits') asked.splits = await recentSplits(broker, symbol, deps.now())
    else if (look.asks === 'holders') asked.holders = await foreignHolders(broker, symbol, input.side)
    else {
      const isPatient = standing.dueAt !== null && deps.now() < Date.parse(standing.dueAt) + PRICE_WITHIN
      const price = believedPrice(
        broker,
        { symbol, action: input.side === 'SELL' ? 'closeLong' : 'closeShort' },
        priceQuestion(deps, accountId, deps.now()),
      )
      asked.lastPrice = isPatient ? await price : await price.catch(noneIfAway)
    }
  }
}

/** By the broker's clock. A closed exchange is read twice: one odd answer must not hold an exit back. */
async function closedUntil(
  { calendar, clocks, zoneOf, brokerFor, now }: SizeExitDependencies,
  accountId: string,
  { timeInForce }: Pick<ExitTerms, 'timeInForce'>,
): Promise<string | null> {
  if (timeInForce === 'gtc') return null
  const correction = correctionBy((await clocks.offsetOf(accountId)) ?? 0)
  const at = new Date(now() + correction).toISOString()
  const rule = { trigger: 'immediate', minutes: null, clockTime: null, timeInForce } as const
  const sessionByClock = async (error: unknown): Promise<TradingSession[]> => {
    noneIfAway(error)
    const { isOpen, nextClose } = await (await brokerFor(accountId)).getClock()
    if (!isOpen) throw error
    return [{ date: at.slice(0, 10), opensAt: at, closesAt: nextClose }]
  }
  if (takesOrdersAt(at, rule, await calendar.sessionsNow(accountId, at).catch(sessionByClock))) return null
  const sessions = await calendar.sessionsFrom(accountId, at, 0)
  if (takesOrdersAt(at, rule, sessions)) return null
  return resolveExitTime(rule, { endedAt: at, filledAt: null }, sessions, await zoneOf(accountId)).submitAt
}

function sizeIn(
  { basis: _, sizedAt: __, leaves: ___, price: ____, coveredBefore, ...sized }: KeptExit,
  { coveredQuantity, isFor, rule }: SizeExitInput,
): SizedExit {
  const { order, ...size } = sized
  if (size.quantity === null) return size
  const isAsAsked = order === undefined || isDeepStrictEqual(order, { isFor, terms: rule })
  const known = isAsAsked ? size : { ...size, order }
  if (coveredBefore === undefined) return known
  return compare(coveredBefore, coveredQuantity) === 0 ? known : { ...known, coveredBefore }
}

/** For later: more fills are known then. */
function basisOf({ position }: Asked, { asOf, shares, live }: SymbolBook): string {
  const owned = shares.lots.map(({ owner, quantity }) => `${figure(quantity)} of ${owner ?? 'nobody'}`)
  const held = shares.side === null ? 'nothing' : `${shares.side} ${owned.join(', ')}`
  const shown = position
    ? `${position.side} ${figure(position.quantity)} (${figure(position.availableQuantity)} free)`
    : 'nothing'
  const working = live.map(nameOfOrder).join(', ') || 'none'
  return `${asOf}: held by the fills ${held}; shown by the broker ${shown}; orders of ours ${working}`
}

/** As of sending. Without a price of its own a broker shows a close or the cost, and no change of the day. */
const marketPrice = ({ position, itself }: Asked): Pick<KeptExit, 'price'> =>
  itself || position === null || position.dayChange === null ? {} : { price: position.currentPrice }

const GIVEN_UP = { quantity: null, coversQuantity: null, notBefore: null, givenUp: true } as const

function decide(input: SizeExitInput, asked: Asked, book: SymbolBook, standing: ExitStanding): Look {
  const { position } = asked
  const { signalId, side, filledQuantity, failures } = input
  const isMine = book.shares.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  const own = smaller(isMine ? book.shares.of(signalId) : '0', filledQuantity)
  const missing = notShown(book, position)
  // A missing execution would give another order's trade to the wrong owner.
  const isTakenByOthers = compare(own, filledQuantity) < 0
  // An existing order is the decision: its own fills would count as closed by others.
  if (isTakenByOthers && asked.itself === undefined) return { asks: 'itself' }
  if (asked.itself) return { sized: asSent(asked.itself, input) }
  const choice = isMine ? unspent(standing) : null
  // The choice is a number of shares; the levels of the plan are older than the change of the shares.
  const isPlans = input.isFor === 'plan' || input.isFor === 'target'
  if (choice !== null && isPlans)
    return blocked('its levels are of before its shares became others: change the exit plan')
  if (choice !== null) return chosen(input, asked, book, { ...standing, choice })
  if (isTakenByOthers && !isZero(missing) && (failures === 0 || explaining(book, position).length > 0))
    return unexplained(input, asked, book)
  const seller = mayBeTakenForForeign(book, executionSide(side), signalId)
  if (isTakenByOthers && seller) {
    const detail = `${nameOfOrder(seller)} may have traded, and is not recorded yet`
    if (isFresh(book, POSITION_LAG_MS)) throw outcomeUnknown(detail)
    return blocked(detail)
  }
  if (!isPositive(own)) return { sized: { quantity: '0', coversQuantity: filledQuantity, notBefore: null } }

  const holds = position?.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  // One wrong answer must not end an exit, and shares that the broker does not show cannot be sold.
  if (isPositive(missing) && (isFresh(book, POSITION_LAG_MS) || failures === 0 || !holds))
    return unexplained(input, asked, book)
  const beyond = standing.isListed ? sharesBeyond(book, position) : '0'
  if (isPositive(beyond) && !isFresh(book, POSITION_LAG_MS)) return beyondFills(input, asked, book, standing)
  const closable = smaller(own, holds ? position.quantity : '0')
  return holdersOf(input, book) ?? within(input, asked, book, { closable, own })
}

/** Asks again for a moment, and then the owner. */
function beyondFills(
  { symbol, signalId, filledQuantity, rule, failures }: SizeExitInput,
  { position, splits }: Asked,
  book: SymbolBook,
  { dueAt }: ExitStanding,
): Look {
  if (splits === undefined) return { asks: 'splits' }
  const own = smaller(book.shares.of(signalId), filledQuantity)
  const shown = position!.quantity
  const split = explainingSplit(splits, { shown, known: book.shares.quantity, own })
  const detail = beyondInWords(book, position, { symbol, own, rule, split })
  if (failures === 0 && dueAt !== null && ageAt(book, dueAt) < POSITION_LAG_MS) throw outcomeUnknown(detail)
  return blocked(detail, { shown, own, ...(split && { split }) })
}

/** The broker is right about its position: unexplained shares are booked without an owner, and sold last. */
function chosen(
  input: SizeExitInput,
  asked: Asked,
  book: SymbolBook,
  standing: ExitStanding & { choice: ChosenSize },
): Look {
  const { position } = asked
  const { quantity, shown, limitPrice, stopPrice } = standing.choice
  const missing = notShown(book, position)
  const isDoubted = isPositive(missing) && (isFresh(book, POSITION_LAG_MS) || input.failures === 0)
  if (position?.side !== book.shares.side || isDoubted) return unexplained(input, asked, book)
  const beyond = negate(missing)
  if (isPositive(beyond) && compare(position.quantity, shown) !== 0)
    return beyondFills(input, asked, book, standing)
  const left = subtract(quantity, standing.soldSince)
  const closable = smaller(left, position.quantity)
  const look = holdersOf(input, book) ?? within(input, asked, book, { closable, own: closable })
  if (!('sized' in look) || look.sized.quantity === null) return look
  const prices = { limitPrice, stopPrice }
  const sized = input.rule.limitPrice || input.rule.stopPrice ? { ...look.sized, prices } : look.sized
  const books = position.side === 'LONG' ? beyond : negate(beyond)
  return isPositive(beyond) ? { sized, books } : { sized }
}

/** Throws while the newest fill, or one to come, may explain the difference. */
function unexplained({ symbol, signalId }: SizeExitInput, { position }: Asked, book: SymbolBook): Look {
  const detail = differenceInWords(book, position, symbol)
  if (isFresh(book, POSITION_LAG_MS)) throw outcomeUnknown(detail)
  const sellers = book.live.filter(
    (order) => order.role === 'exit' && order.signalId !== signalId && mayFillNow(order, book),
  )
  const sold = sellers.reduce<Decimal>((sum, { open }) => add(sum, open), '0')
  const missing = notShown(book, position)
  if (isPositive(missing) && compare(sold, missing) >= 0)
    throw outcomeUnknown(`${detail}; ${sellers.map(nameOfOrder).join(' and ')} may have traded`)
  const others = explaining(book, position).map(nameOfOrder)
  return blocked(others.length === 0 ? detail : `${detail}; ${others.join(' and ')} may have traded`)
}

function holdersOf({ signalId, isFor }: SizeExitInput, book: SymbolBook): Look | null {
  const { live, yielding } = book
  const closers = new Set(yielding.filter((one) => one.signalId === signalId).map(({ closer }) => closer))
  const first = live.find(({ clientOrderId }) => closers.has(clientOrderId))
  const stands = first !== undefined && standsStill(first, book)
  // The order of a plan leaves to others what they close already, and is for the rest.
  if (stands && isFor === 'plan') return null
  if (stands) return blocked(`${nameOfOrder(first)} is to close these shares, and waits at the broker`)
  if (closers.size > 0) throw outcomeUnknown(`order ${[...closers].join(' and ')} closes these shares`)
  const rivals = closings(live).filter(
    (order) => order.signalId !== signalId && order.takes.some(({ owner }) => owner === signalId),
  )
  const underWay = rivals.find((order) => !standsStill(order, book))
  if (underWay) throw outcomeUnknown(`${nameOfOrder(underWay)} closes these shares`)
  return rivals.length > 0 && isFor !== 'plan' ? { blockingOrders: rivals } : null
}

function within(
  { signalId, side, filledQuantity, rule, isFor, opposed, wholeFirst }: SizeExitInput,
  { position, holders, lastPrice, opposite }: Asked,
  book: SymbolBook,
  { closable, own }: { closable: Decimal; own: Decimal },
): Look {
  const { live } = book
  const { availableQuantity } = position!
  const taken = subtract(closable, availableQuantity)
  if (isPositive(taken) && isFor !== 'plan') {
    const others = closings(live).filter((order) => order.signalId !== signalId && order.role !== 'exit')
    const movable = blockingOrders(
      others.filter((order) => standsStill(order, book)),
      taken,
    )
    if (movable.length > 0) return { blockingOrders: movable }
  }
  const open = smaller(closable, availableQuantity)
  // Parts of a share only fit day orders.
  const free = isFor === 'plan' && rule.timeInForce === 'gtc' ? divideDown(open, '1', 0) : open
  if (!isPositive(free)) return holders === undefined ? { asks: 'holders' } : blocked(holders)

  const { quantity, rule: by, isFraction } = nextPart(rule, free, wholeFirst)
  if (opposed && opposite === undefined) return { asks: 'opposite' }
  const all = { ...book, live: [...live, ...(opposite ?? [])] }
  const action = oppositeOrderAction({ side, ...by }, all, lastPrice ?? null)
  if (action.what === 'wait')
    throw outcomeUnknown(`${nameOfOrder(action.order)} is on the other side and about to end`)
  if (action.what !== 'clear' && by.orderType === 'market' && lastPrice === undefined)
    return { asks: 'lastPrice' }
  // Foreign orders cannot be cancelled: where no limit avoids them, the broker rejects, and names one.
  const ours = action.what === 'cancel' ? action.orders.filter((order) => live.includes(order)) : []
  if (ours.length > 0) return { blockingOrders: ours }
  const coversQuantity = subtract(filledQuantity, subtract(own, closedBy(quantity, closable, own)))
  const sized = { quantity, coversQuantity, notBefore: null, ...(isFraction && { isFraction }) }
  return { sized: action.what === 'limit' ? { ...sized, limitPrice: action.limitPrice } : sized }
}

/** Shares that are not held any more need no exit. */
const closedBy = (quantity: Decimal, closable: Decimal, own: Decimal): Decimal =>
  compare(quantity, closable) === 0 ? own : quantity

const blocked = (obstacle: string, beyond?: ShownBeyond): Look => ({
  sized: { quantity: null, coversQuantity: null, notBefore: null, obstacle, ...(beyond && { beyond }) },
})
