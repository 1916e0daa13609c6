import { add, divideDown, isPositive, smaller, type Decimal } from './decimal.ts'
import { byExecution, type Fill } from './fill.ts'
import { PartedFill } from './parted-fill.ts'
import { percentOfEntry, profit, type TradeSide } from './profit.ts'

/** Decimals of an average price; what the ledger's columns hold. */
const PRICE_PLACES = 9

export const TRADE_STATUSES = ['OPEN', 'CLOSED'] as const
/** OPEN is still held. */
export type TradeStatus = (typeof TRADE_STATUSES)[number]

/**
 * A trade: what one order opened, as far as one other order has closed it, or what is left of it. Which shares an
 * order closes is decided first in, first out. Orders are named by the broker's ids, null for shares that were held
 * before anybody looked.
 */
export interface RoundTrip {
  /**
   * Names the trade among those of its account and symbol, and stays the same when the fills are gone through again:
   * a trade is the same one when it is closed. What an order takes off before the last of it becomes a trade of
   * its own.
   */
  key: string
  symbol: string
  side: TradeSide
  status: TradeStatus
  /** Shares. */
  quantity: Decimal
  /** Dollars over all its shares, exact; the prices a share follow from them, rounded. */
  entryValue: Decimal
  exitValue: Decimal | null
  /** Dollars a share. */
  entryPrice: Decimal
  exitPrice: Decimal | null
  /** UTC instants of the first entry and the last exit. */
  entryAt: string
  exitAt: string | null
  /** Dollars paid for its part of all fills. */
  fees: Decimal
  /** Dollars after fees; null while open. */
  realisedPnl: Decimal | null
  /** Percent of the entry's value; null while open. */
  realisedPnlPercent: Decimal | null
  entryOrder: string | null
  exitOrder: string | null
}

/** The trades of a row of fills, and where among the fills nothing was held. */
export interface Trading {
  trips: RoundTrip[]
  /**
   * Executions after which nothing was held, and that are told from the next one by their instant: whatever is filled
   * later has nothing to do with what was before.
   */
  flatAfter: Set<string>
}

/**
 * The trades that an account's fills of one symbol add up to: the same ones however the fills arrived, and whether one
 * came twice. A fill on the side of what is held adds to it, one on the other side closes what has been held longest,
 * and what it has left over then opens a position the other way. Splits and transfers of shares are not known of.
 *
 * @param fills in any order; all of them, or all since nothing was held
 */
export function tradesOf(fills: readonly Fill[]): Trading {
  const inOrder = [...new Map(fills.map((fill) => [fill.executionId, fill])).values()].toSorted(byExecution)
  const book = new LotBook()
  const flatAfter = new Set<string>()
  for (const [index, fill] of inOrder.entries()) {
    book.take(fill)
    if (book.isFlat && inOrder[index + 1]?.at !== fill.at) flatAfter.add(fill.executionId)
  }
  return { trips: book.trips(), flatAfter }
}

/** Shares that one fill opened; what is left of the fill is still held. */
interface Lot {
  fill: PartedFill
  opening: Opening
}

/** What an order has opened since nothing was held, and the parts of it that others have closed, by their orders. */
interface Opening {
  key: string
  order: string | null
  side: TradeSide
  symbol: string
  closings: Map<string, Part>
  lastClosing: string | null
}

/** Shares that were opened by one order and closed by another one, added up. */
interface Part {
  exitOrder: string | null
  quantity: Decimal
  entryValue: Decimal
  exitValue: Decimal
  fees: Decimal
  entryAt: string
  exitAt: string
}

class LotBook {
  /** What is held, oldest first; all of one side. */
  #lots: Lot[] = []
  readonly #openings: Opening[] = []
  /** The openings of the shares held, by their order. */
  #current = new Map<string, Opening>()

  get isFlat(): boolean {
    return this.#lots.length === 0
  }

  take(fill: Fill): void {
    const side = fill.side === 'BUY' ? 'LONG' : 'SHORT'
    const parted = new PartedFill(fill)
    while (isPositive(parted.left) && this.#lots[0] && this.#lots[0].opening.side !== side)
      this.#close(this.#lots[0], parted)
    if (isPositive(parted.left)) this.#open(parted, side)
  }

  #open(fill: PartedFill, side: TradeSide): void {
    const { brokerOrderId: order, executionId, symbol } = fill.of
    let opening = this.#current.get(orderKey(fill.of))
    if (!opening) {
      opening = { key: executionId, order, side, symbol, closings: new Map(), lastClosing: null }
      this.#current.set(orderKey(fill.of), opening)
      this.#openings.push(opening)
    }
    this.#lots.push({ fill, opening })
  }

  /** Takes off the oldest lot as much as the fill has. */
  #close(lot: Lot, fill: PartedFill): void {
    const { opening } = lot
    const quantity = smaller(lot.fill.left, fill.left)
    const entry = lot.fill.part(quantity)
    const exit = fill.part(quantity)
    const key = orderKey(fill.of)
    const part = opening.closings.get(key)
    opening.closings.set(key, {
      exitOrder: fill.of.brokerOrderId,
      quantity: add(part?.quantity ?? '0', quantity),
      entryValue: add(part?.entryValue ?? '0', entry.value),
      exitValue: add(part?.exitValue ?? '0', exit.value),
      fees: add(part?.fees ?? '0', add(entry.fees, exit.fees)),
      entryAt: part?.entryAt ?? lot.fill.of.at,
      exitAt: fill.of.at,
    })
    opening.lastClosing = key
    if (isPositive(lot.fill.left)) return
    this.#lots.shift()
    if (this.isFlat) this.#current = new Map()
  }

  trips(): RoundTrip[] {
    const left = Map.groupBy(this.#lots, ({ opening }) => opening)
    return this.#openings.flatMap((opening) => {
      const rest = left.get(opening) ?? []
      const closed = [...opening.closings].map(([key, part]) => {
        // The trade itself lives on in what is still open, and is closed with the last of it.
        const isLast = rest.length === 0 && key === opening.lastClosing
        return closedTrip(opening, isLast ? opening.key : `${opening.key}/${key}`, part)
      })
      return rest.length > 0 ? [...closed, openTrip(opening, rest)] : closed
    })
  }
}

function closedTrip(
  { order, side, symbol }: Opening,
  key: string,
  { exitOrder, quantity, entryValue, exitValue, fees, entryAt, exitAt }: Part,
): RoundTrip {
  const realisedPnl = profit(side, { entryValue, exitValue, fees })
  return {
    key,
    symbol,
    side,
    status: 'CLOSED',
    quantity,
    entryValue,
    exitValue,
    entryPrice: divideDown(entryValue, quantity, PRICE_PLACES),
    exitPrice: divideDown(exitValue, quantity, PRICE_PLACES),
    entryAt,
    exitAt,
    fees,
    realisedPnl,
    realisedPnlPercent: percentOfEntry(realisedPnl, entryValue),
    entryOrder: order,
    exitOrder,
  }
}

function openTrip({ key, order, side, symbol }: Opening, rest: readonly Lot[]): RoundTrip {
  const left = rest.map(({ fill }) => fill.rest())
  const quantity = rest.map(({ fill }) => fill.left).reduce(add, '0')
  const entryValue = left.map(({ value }) => value).reduce(add, '0')
  return {
    key,
    symbol,
    side,
    status: 'OPEN',
    quantity,
    entryValue,
    exitValue: null,
    entryPrice: divideDown(entryValue, quantity, PRICE_PLACES),
    exitPrice: null,
    entryAt: rest[0]!.fill.of.at,
    exitAt: null,
    fees: left.map(({ fees }) => fees).reduce(add, '0'),
    realisedPnl: null,
    realisedPnlPercent: null,
    entryOrder: order,
    exitOrder: null,
  }
}

/** Fills of one order belong together; shares that were held before are an order of their own. */
const orderKey = ({ brokerOrderId, executionId }: Fill): string => brokerOrderId ?? executionId
