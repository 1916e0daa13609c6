import type { Broker, BrokerPosition } from '#brokers/port.ts'
import { compare, isPositive, smaller, subtract, type Decimal } from '#domain/decimal.ts'
import { resolveExitTime } from '#domain/exit-time.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import { oppositeOrderAction } from '#domain/opposite-orders.ts'
import {
  closings,
  blockingOrders,
  nameOfOrder,
  notShown,
  standsStill,
  type LiveOrder,
  type SymbolBook,
} from '#domain/symbol-book.ts'
import type { SizedExit, SizeExitInput } from './contract.ts'
import { outcomeUnknown } from './failures.ts'
import { foreignHolders } from './foreign-holders.ts'
import type { SessionCalendar } from './plan-exit.ts'

/** How long after a fill the broker's positions may not show it yet, in milliseconds. */
const POSITION_LAG = 5_000
/** How often orders are made to give way within one try. */
const ROUNDS = 4

export interface SizeExitDependencies {
  /** The decision that was kept for the exit before; null when there is none. */
  readDecision(signalId: string, key: string): Promise<SizedExit | null>
  /** Takes a decision by what the ledger holds, one after the other for each account and symbol; may keep one. */
  decideUnderLock<T>(
    accountId: string,
    symbol: string,
    decide: (
      book: SymbolBook,
      keep: (signalId: string, key: string, sized: SizedExit) => Promise<SizedExit>,
    ) => Promise<T>,
  ): Promise<T>
  brokerFor(accountId: string): Promise<Broker>
  /** Has orders of ours cancelled that are in the way; throws a retryable failure until they have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  calendar: SessionCalendar
  zoneOf(accountId: string): Promise<string>
  /** Milliseconds since the epoch. */
  now(): number
}

/** A size; or what has to be done or asked first, which takes too long for others to wait for it. */
type Look = { sized: SizedExit } | { blockingOrders: LiveOrder[] } | { asks: 'holders' | 'lastPrice' }

/** What the broker has said on being asked. */
interface Asked {
  position: BrokerPosition | null
  holders?: string
  lastPrice?: Decimal | null
}

/**
 * Shares to close: what of the signal's own shares is still open (see `domain/ownership.ts`), and never more than is
 * held, so that an exit takes nobody else's shares and turns no position round. Or, when the calendar has changed since
 * the exit was planned, the instant to wait for: an order sent while the exchange is closed would be queued by some
 * brokers and refused by others. Or what keeps the exit from being placed.
 *
 * Orders of ours that hold the shares, or stand on the other side so that the broker would refuse the exit, are
 * cancelled first; an exit at market goes round the latter by a limit where it can.
 *
 * The first size is kept and given again for its generation: a task that is done over would find the position
 * moved by the very exit that it is to send, and send another quantity under the same client order id, or none.
 */
export async function sizeExit(deps: SizeExitDependencies, input: SizeExitInput): Promise<SizedExit> {
  const { signalId, generation, accountId, symbol, rule } = input
  const { calendar, now } = deps
  const before = await deps.readDecision(signalId, keyOf(input))
  if (before !== null) return before
  const at = new Date(now()).toISOString()
  const atOnce = {
    trigger: 'immediate',
    minutes: null,
    clockTime: null,
    timeInForce: rule.timeInForce,
  } as const
  const sessions = await calendar.sessionsFrom(accountId, at)
  const { submitAt, reason } = resolveExitTime(
    atOnce,
    { endedAt: at, filledAt: null },
    sessions,
    await deps.zoneOf(accountId),
  )
  if (reason !== null) return { quantity: null, coversQuantity: null, notBefore: submitAt }

  const broker = await deps.brokerFor(accountId)
  const asked: Asked = { position: null }
  for (let round = 1; ; round += 1) {
    asked.position = await broker.getPosition(symbol)
    const look = await deps.decideUnderLock<Look>(accountId, symbol, async (book, keep) => {
      const found = decide(deps, input, asked, book)
      if (!('sized' in found) || found.sized.quantity === null) return found
      return { sized: await keep(signalId, keyOf(input), found.sized) }
    })
    if ('sized' in look) return look.sized
    if (round === ROUNDS)
      throw outcomeUnknown('orders in the way of the exit end, and others take their place')
    if ('blockingOrders' in look)
      await deps.cancelBlockingOrders(
        accountId,
        clientOrderIdFor(signalId, 'exit', generation),
        look.blockingOrders,
      )
    else if (look.asks === 'holders') asked.holders = await foreignHolders(broker, symbol, input.side)
    else asked.lastPrice = await broker.getLastPrice(symbol)
  }
}

const keyOf = ({ generation }: SizeExitInput): string => `exit-${generation}`

function decide({ now }: SizeExitDependencies, input: SizeExitInput, asked: Asked, book: SymbolBook): Look {
  const { position } = asked
  const { signalId, symbol, side, filledQuantity, failures } = input
  const isMine = book.shares.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  const own = smaller(isMine ? book.shares.of(signalId) : '0', filledQuantity)
  if (!isPositive(own)) return { sized: { quantity: '0', coversQuantity: filledQuantity, notBefore: null } }

  const missing = notShown(book, position)
  const holds = position?.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  if (isPositive(missing)) {
    const detail = `the broker shows ${position ? `${position.side} ${position.quantity}` : 'nothing'} of ${symbol} where ${book.shares.side} ${book.shares.quantity} are held by the fills`
    if (book.changedAt !== null && now() < Date.parse(book.changedAt) + POSITION_LAG)
      throw outcomeUnknown(detail)
    // One wrong answer must not end an exit, and what is not shown cannot be sold.
    if (failures === 0 || !holds) return blocked(detail)
  }
  const closable = smaller(own, holds ? position.quantity : '0')
  return holdersOf(input, book) ?? within(input, asked, book, closable)
}

/** Orders of ours that are to close the very shares; null when there are none. */
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

/** The order for shares of which it is known that they are the signal's own, and held. */
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

/** What of its own shares the exit answers for: shares that are not held any more need none. */
const closedBy = (quantity: Decimal, closable: Decimal, own: Decimal): Decimal =>
  compare(quantity, closable) === 0 ? own : quantity

const blocked = (obstacle: string): Look => ({
  sized: { quantity: null, coversQuantity: null, notBefore: null, obstacle },
})
