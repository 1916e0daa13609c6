import type { Broker, BrokerPosition } from '#brokers/port.ts'
import { add, compare, isPositive, isZero, smaller, subtract, type Decimal } from '#domain/decimal.ts'
import { figure } from '#domain/figures.ts'
import { correctionBy } from '#domain/broker-clock.ts'
import type { ExitRule } from '#domain/exit.ts'
import { resolveExitTime, takesOrdersAt } from '#domain/exit-time.ts'
import { clientOrderIdFor, executionSide, type OrderReport } from '#domain/order.ts'
import { oppositeOrderAction } from '#domain/opposite-orders.ts'
import {
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
import type { SizedExit, SizeExitInput } from './contract.ts'
import { haltDenial, type ActiveHalt } from '#domain/halt.ts'
import { halted, outcomeUnknown } from './failures.ts'
import { foreignHolders } from '#brokers/foreign-holders.ts'
import type { BrokerClocks } from './broker-clocks.ts'
import type { SessionCalendar } from './session-calendar.ts'

/**
 * How long after a fill an exit waits for a position that the broker does not show, in milliseconds, before its owner is told
 * and it is tried again. Shares that are not shown are only left out once that has happened.
 */
const SHOWN_WITHIN = 5_000
/** How many times blocking orders are cancelled within one attempt. */
const ROUNDS = 4

/**
 * A size as the ledger keeps it: when it was worked out, a UTC instant, from what, in words, and how many of the shares that it
 * was to close it leaves without an exit, absent for none; `stopped` once it is given up.
 */
export type KeptExit = SizedExit & {
  sizedAt?: string
  basis?: string
  leaves?: Decimal
  stopped?: true
}

export interface SizeExitDependencies {
  /** The stored decision for the exit; null when there is none. */
  readDecision(signalId: string, key: string): Promise<KeptExit | null>
  /** Takes a decision with the state of the ledger, under the lock of the account and symbol; may store it. */
  decideUnderLock<T>(
    accountId: string,
    symbol: string,
    decide: (
      book: SymbolBook,
      keep: (signalId: string, key: string, sized: KeptExit) => Promise<KeptExit>,
    ) => Promise<T>,
  ): Promise<T>
  /** The halt that binds the account now; null when there is none. */
  haltOf(accountId: string): Promise<ActiveHalt | null>
  brokerFor(accountId: string): Promise<Broker>
  /** Cancels our orders that block the exit; throws a retryable failure until they have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  calendar: SessionCalendar
  clocks: Pick<BrokerClocks, 'offsetOf'>
  zoneOf(accountId: string): Promise<string>
  /** Milliseconds since the epoch. */
  now(): number
}

/** A size; or a request to the broker that is needed first, and too slow to make under the lock. */
type Look =
  { sized: SizedExit } | { blockingOrders: LiveOrder[] } | { asks: 'holders' | 'lastPrice' | 'itself' }

/** Answers of the broker. */
interface Asked {
  position: BrokerPosition | null
  holders?: string
  lastPrice?: Decimal | null
  /** The order of this very exit: the ledger may have been set back since it was sent. */
  itself?: Pick<OrderReport, 'quantity'> | null
}

/**
 * Shares to close: the signal's own shares that are still open (see `domain/ownership.ts`), and never more than are held,
 * so that an exit neither sells other signals' shares nor opens a position on the other side. Or, when the calendar has
 * changed since the exit was planned, the next opening, so that the exit is planned anew: some brokers would queue an order that
 * is sent while the exchange is closed, others would reject it. Or the obstacle that blocks the exit.
 *
 * Our orders that hold the shares, or work on the other side so that the broker would reject the exit, are cancelled first;
 * where possible a market exit becomes a limit order that cannot trade against the latter.
 *
 * Nothing is sized while everything is stopped: throws a retryable failure of type `Halted`.
 *
 * The first size is stored and returned again for its generation: a retried task would find a position that the exit itself
 * has changed, and send another quantity under the same client order id, or none.
 */
export async function sizeExit(deps: SizeExitDependencies, input: SizeExitInput): Promise<SizedExit> {
  const { signalId, generation, accountId, symbol, rule } = input
  const before = await deps.readDecision(signalId, keyOf(input))
  if (before?.stopped) return GIVEN_UP
  if (before !== null) return sizeIn(before)
  // By the time that it is lifted, the position may be another one.
  const halt = await deps.haltOf(accountId)
  if (halt?.level === 'fullStop') throw halted(haltDenial(halt).detail)
  const notBefore = await closedUntil(deps, accountId, rule)
  if (notBefore !== null) return { quantity: null, coversQuantity: null, notBefore }

  const broker = await deps.brokerFor(accountId)
  const asked: Asked = { position: null }
  for (let round = 1; ; round += 1) {
    asked.position = await broker.getPosition(symbol)
    const look = await deps.decideUnderLock<Look>(accountId, symbol, async (book, keep) => {
      const found = decide(input, asked, book)
      if (!('sized' in found) || found.sized.quantity === null) return found
      const leaves = subtract(input.filledQuantity, found.sized.coversQuantity)
      const kept = {
        ...found.sized,
        ...(isPositive(leaves) && { leaves }),
        sizedAt: book.asOf,
        basis: basisOf(asked, book),
      }
      return { sized: sizeIn(await keep(signalId, keyOf(input), kept)) }
    })
    if ('sized' in look) return look.sized
    if (round === ROUNDS)
      throw outcomeUnknown('orders that blocked the exit have ended, and new ones have come')
    if ('blockingOrders' in look)
      await deps.cancelBlockingOrders(
        accountId,
        clientOrderIdFor(signalId, 'exit', generation),
        look.blockingOrders,
      )
    else if (look.asks === 'itself')
      asked.itself = await broker.findOrder(clientOrderIdFor(signalId, 'exit', generation))
    else if (look.asks === 'holders') asked.holders = await foreignHolders(broker, symbol, input.side)
    else asked.lastPrice = await broker.getLastPrice(symbol)
  }
}

/**
 * The next opening, by the broker's clock, where its exchange takes no exit now; null where it does. A calendar that says so is
 * read twice: one odd answer keeps no exit in.
 */
async function closedUntil(
  { calendar, clocks, zoneOf, now }: SizeExitDependencies,
  accountId: string,
  { timeInForce }: Pick<ExitRule, 'timeInForce'>,
): Promise<string | null> {
  const correction = correctionBy((await clocks.offsetOf(accountId)) ?? 0)
  const at = new Date(now() + correction).toISOString()
  const rule = { trigger: 'immediate', minutes: null, clockTime: null, timeInForce } as const
  if (takesOrdersAt(at, rule, await calendar.sessionsNow(accountId, at))) return null
  const sessions = await calendar.sessionsFrom(accountId, at, 0)
  if (takesOrdersAt(at, rule, sessions)) return null
  return resolveExitTime(rule, { endedAt: at, filledAt: null }, sessions, await zoneOf(accountId)).submitAt
}

/** For the workflow, whose history needs no more than the size. */
const sizeIn = ({ basis: _, sizedAt: __, leaves: ___, ...sized }: KeptExit): SizedExit => sized

/** What the size of an exit is worked out from, in words: it cannot be found out later, when more fills are known. */
function basisOf({ position }: Asked, { asOf, shares, live }: SymbolBook): string {
  const owned = shares.lots.map(({ owner, quantity }) => `${figure(quantity)} of ${owner ?? 'nobody'}`)
  const held = shares.side === null ? 'nothing' : `${shares.side} ${owned.join(', ')}`
  const shown = position
    ? `${position.side} ${figure(position.quantity)} (${figure(position.availableQuantity)} free)`
    : 'nothing'
  const working = live.map(nameOfOrder).join(', ') || 'none'
  return `${asOf}: held by the fills ${held}; shown by the broker ${shown}; orders of ours ${working}`
}

const GIVEN_UP = { quantity: null, coversQuantity: null, notBefore: null, givenUp: true } as const

const keyOf = ({ generation }: SizeExitInput): string => `exit-${generation}`

function decide(input: SizeExitInput, asked: Asked, book: SymbolBook): Look {
  const { position } = asked
  const { signalId, side, filledQuantity, failures } = input
  const isMine = book.shares.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  const own = smaller(isMine ? book.shares.of(signalId) : '0', filledQuantity)
  const missing = notShown(book, position)
  // An execution that the ledger does not know yet makes it give another order's trade to the wrong owner.
  const isTakenByOthers = compare(own, filledQuantity) < 0
  // An order that exists is the decision. Its own fills would be taken for shares that others have closed.
  if (isTakenByOthers && asked.itself === undefined) return { asks: 'itself' }
  if (asked.itself)
    return { sized: { quantity: asked.itself.quantity, coversQuantity: filledQuantity, notBefore: null } }
  if (isTakenByOthers && !isZero(missing) && (failures === 0 || explaining(book, position).length > 0))
    return unexplained(input, asked, book)
  const seller = mayBeTakenForForeign(book, executionSide(side), signalId)
  if (isTakenByOthers && seller) {
    const detail = `${nameOfOrder(seller)} may have traded, and is not recorded yet`
    if (isFresh(book, SHOWN_WITHIN)) throw outcomeUnknown(detail)
    return blocked(detail)
  }
  if (!isPositive(own)) return { sized: { quantity: '0', coversQuantity: filledQuantity, notBefore: null } }

  const holds = position?.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  // One wrong answer must not end an exit, and shares that the broker does not show cannot be sold.
  if (isPositive(missing) && (isFresh(book, SHOWN_WITHIN) || failures === 0 || !holds))
    return unexplained(input, asked, book)
  const closable = smaller(own, holds ? position.quantity : '0')
  return holdersOf(input, book) ?? within(input, asked, book, closable)
}

/** The broker's position is another than the ledger's: throws while the newest fill, or one to come, may explain that. */
function unexplained({ symbol, signalId }: SizeExitInput, { position }: Asked, book: SymbolBook): Look {
  const shown = position ? `${position.side} ${figure(position.quantity)}` : 'nothing'
  const known = book.shares.side ? `${book.shares.side} ${figure(book.shares.quantity)} are` : 'nothing is'
  const detail = `the broker shows ${shown} of ${symbol} where ${known} held by the fills`
  if (isFresh(book, SHOWN_WITHIN)) throw outcomeUnknown(detail)
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

/** Our orders that are to close the same shares; null when there are none. */
function holdersOf({ signalId }: SizeExitInput, book: SymbolBook): Look | null {
  const { live, yielding } = book
  const closers = new Set(yielding.filter((one) => one.signalId === signalId).map(({ closer }) => closer))
  const first = live.find(({ clientOrderId }) => closers.has(clientOrderId))
  if (first && standsStill(first, book))
    return blocked(`${nameOfOrder(first)} is to close these shares, and waits at the broker`)
  if (closers.size > 0) throw outcomeUnknown(`order ${[...closers].join(' and ')} closes these shares`)
  const rivals = closings(live).filter(
    (order) => order.signalId !== signalId && order.takes.some(({ owner }) => owner === signalId),
  )
  const underWay = rivals.find((order) => !standsStill(order, book))
  if (underWay) throw outcomeUnknown(`${nameOfOrder(underWay)} closes these shares`)
  return rivals.length > 0 ? { blockingOrders: rivals } : null
}

/** Sizes the exit within the signal's own, held shares. */
function within(
  { signalId, side, filledQuantity, rule }: SizeExitInput,
  { position, holders, lastPrice }: Asked,
  book: SymbolBook,
  closable: Decimal,
): Look {
  const { shares, live } = book
  const { availableQuantity } = position!
  const taken = subtract(closable, availableQuantity)
  if (isPositive(taken)) {
    const others = closings(live).filter((order) => order.signalId !== signalId && order.role !== 'exit')
    const movable = blockingOrders(
      others.filter((order) => standsStill(order, book)),
      taken,
    )
    if (movable.length > 0) return { blockingOrders: movable }
  }
  const quantity = smaller(closable, availableQuantity)
  if (!isPositive(quantity)) return holders === undefined ? { asks: 'holders' } : blocked(holders)

  const action = oppositeOrderAction({ side, ...rule }, book, lastPrice ?? null)
  if (action.what === 'wait')
    throw outcomeUnknown(`${nameOfOrder(action.order)} is on the other side and about to end`)
  if (action.what !== 'clear' && rule.orderType === 'market' && lastPrice === undefined)
    return { asks: 'lastPrice' }
  if (action.what === 'cancel') return { blockingOrders: action.orders }
  const own = smaller(shares.of(signalId), filledQuantity)
  const coversQuantity = subtract(filledQuantity, subtract(own, closedBy(quantity, closable, own)))
  const sized = { quantity, coversQuantity, notBefore: null }
  return { sized: action.what === 'limit' ? { ...sized, limitPrice: action.limitPrice } : sized }
}

/** The own shares that the exit covers: shares that are not held any more need no exit. */
const closedBy = (quantity: Decimal, closable: Decimal, own: Decimal): Decimal =>
  compare(quantity, closable) === 0 ? own : quantity

const blocked = (obstacle: string): Look => ({
  sized: { quantity: null, coversQuantity: null, notBefore: null, obstacle },
})
