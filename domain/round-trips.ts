import { add, divideDown, isPositive, isZero, subtract, type Decimal, LEDGER_PLACES } from './decimal.ts'
import { byExecution, type Fill } from './fill.ts'
import { ownerOf, takeOff, type ShareOrigin } from './ownership.ts'
import { PartedFill, type PartedFillState, type PricedPart } from './parted-fill.ts'
import { percentOfEntry, profit, type TradeSide } from './profit.ts'

export const TRADE_STATUSES = ['OPEN', 'CLOSED'] as const
/** OPEN is still held. */
export type TradeStatus = (typeof TRADE_STATUSES)[number]

/** A fill, and what its order does to the owners of shares. */
export type AttributedFill = Fill & { origin: ShareOrigin }

/**
 * A trade: what one order opened, as far as one other order has closed it, or what is left of it. Which shares an
 * order closes is decided by their owners (`ownership.ts`), and among those of one owner first in, first out. Orders are named by
 * the broker's ids, null for shares that were held before anybody looked.
 */
export interface RoundTrip {
  /**
   * Names the trade among those of its account and symbol, and stays the same when the fills are gone through again:
   * a trade is the same one when it is closed. What an order takes off before the last of it becomes a trade of
   * its own.
   */
  key: string
  symbol: string
  /** The signal whose shares these are; null for shares of no signal. */
  owner: string | null
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
  /** Of these, for its part of the fills that have closed it. */
  exitFees: Decimal
  /** Dollars after fees; null while open. */
  realisedPnl: Decimal | null
  /** Percent of the entry's value; null while open. */
  realisedPnlPercent: Decimal | null
  entryOrder: string | null
  exitOrder: string | null
}

/** The trades of a row of fills, and where among the fills one may begin another time. */
export interface Trading {
  trips: RoundTrip[]
  /** The holding after an execution that is told from the next one by its instant; by execution. */
  checkpoints: Map<string, Checkpoint>
}

/** The holding at one moment, and the part of it that had been closed: all that later fills have to do with what was before. */
export interface Checkpoint {
  openings: Opening[]
  /** Oldest first, each with the place of its opening. */
  lots: { fill: PartedFillState; opening: number }[]
}

/** Checkpoints are made when nothing is held, and otherwise each so many fills, unless too much is held. */
const CHECKPOINT_EVERY = 50
const MAX_LOTS_IN_CHECKPOINT = 200

/**
 * The trades that an account's fills of one symbol add up to: the same ones however the fills arrived, and whether one
 * came twice. A fill on the side of what is held adds to it, one on the other side closes the shares that its order is to take,
 * and what it has left over then opens a position the other way. Splits and transfers of shares are not known of.
 *
 * @param fills in any order; all of them, or all since the checkpoint
 * @param from where to begin; its trades are among the result as far as they may still change
 * @param checkpointEvery fills between two checkpoints
 */
export function tradesOf(
  fills: readonly AttributedFill[],
  from: Checkpoint = NOTHING_HELD,
  checkpointEvery = CHECKPOINT_EVERY,
): Trading {
  const inOrder = [...new Map(fills.map((fill) => [fill.executionId, fill])).values()].toSorted(byExecution)
  const book = new LotBook(from)
  const checkpoints = new Map<string, Checkpoint>()
  let since = 0
  for (const [index, fill] of inOrder.entries()) {
    book.take(fill)
    since += 1
    const isDue = book.lots === 0 || (since >= checkpointEvery && book.lots <= MAX_LOTS_IN_CHECKPOINT)
    if (!isDue || inOrder[index + 1]?.at === fill.at) continue
    checkpoints.set(fill.executionId, book.checkpoint())
    since = 0
  }
  return { trips: book.trips(), checkpoints }
}

const NOTHING_HELD: Checkpoint = { openings: [], lots: [] }

/** The keys of the trades before a checkpoint that fills after it may change. */
export const keysIn = ({ openings }: Checkpoint = NOTHING_HELD): string[] =>
  openings.flatMap(({ key, closings }) => [key, ...closings.map(([order]) => partKey(key, order))])

/** Shares that one fill opened; what is left of the fill is still held. */
interface Lot {
  fill: PartedFill
  opening: Opening
}

/** The shares that an order has opened since none of them was held, and the parts that others have closed, by their orders. */
interface Opening {
  key: string
  order: string | null
  owner: string | null
  side: TradeSide
  symbol: string
  closings: [order: string, part: Part][]
  lastClosing: string | null
}

/** Shares that were opened by one order and closed by another one, added up. */
interface Part {
  exitOrder: string | null
  quantity: Decimal
  entryValue: Decimal
  exitValue: Decimal
  fees: Decimal
  exitFees: Decimal
  entryAt: string
  exitAt: string
}

class LotBook {
  /** The lots that are held, oldest first; all of one side. */
  #lots: Lot[]
  /** Of what is held, and of what has been closed since the checkpoint. */
  readonly #openings: Opening[]
  /** The openings of the shares held, by their order. */
  readonly #current: Map<string, Opening>

  constructor({ openings, lots }: Checkpoint) {
    this.#openings = openings.map(copyOf)
    this.#lots = lots.map(({ fill, opening }) => ({
      fill: new PartedFill(fill),
      opening: this.#openings[opening]!,
    }))
    this.#current = new Map(this.#lots.map(({ fill, opening }) => [orderKey(fill.of), opening]))
  }

  /** How many fills are held, at least in part. */
  get lots(): number {
    return this.#lots.length
  }

  take({ origin, ...fill }: AttributedFill): void {
    const side = fill.side === 'BUY' ? 'LONG' : 'SHORT'
    const parted = new PartedFill({ of: fill, taken: '0' })
    if (this.#lots[0] && this.#lots[0].opening.side !== side) this.#close(parted, origin)
    if (isPositive(parted.left)) this.#open(parted, side, ownerOf(origin))
  }

  #open(fill: PartedFill, side: TradeSide, owner: string | null): void {
    const { brokerOrderId: order, executionId, symbol } = fill.of
    let opening = this.#current.get(orderKey(fill.of))
    if (!opening) {
      opening = { key: executionId, order, owner, side, symbol, closings: [], lastClosing: null }
      this.#current.set(orderKey(fill.of), opening)
      this.#openings.push(opening)
    }
    this.#lots.push({ fill, opening })
  }

  /** Takes off the lots whose shares the fill closes, oldest first. */
  #close(fill: PartedFill, origin: ShareOrigin): void {
    const rests = this.#lots.map((lot) => ({ owner: lot.opening.owner, quantity: lot.fill.left }))
    takeOff(rests, { ...fill.of, origin })
    const key = orderKey(fill.of)
    const empty = new Set<Lot>()
    for (const [index, lot] of this.#lots.entries()) {
      const { quantity: rest } = rests[index]!
      if (rest === lot.fill.left) continue
      const quantity = subtract(lot.fill.left, rest)
      if (isZero(rest)) empty.add(lot)
      addPart(lot.opening, key, {
        exitOrder: fill.of.brokerOrderId,
        quantity,
        entry: lot.fill.part(quantity),
        exit: fill.part(quantity),
        entryAt: lot.fill.of.at,
        exitAt: fill.of.at,
      })
      lot.opening.lastClosing = key
    }
    if (empty.size === 0) return
    this.#lots = this.#lots.filter((lot) => !empty.has(lot))
    const held = new Set(this.#lots.map(({ opening }) => opening))
    for (const [order, opening] of this.#current) if (!held.has(opening)) this.#current.delete(order)
  }

  checkpoint(): Checkpoint {
    const openings = [...new Set(this.#lots.map(({ opening }) => opening))]
    const lots = this.#lots.map(({ fill, opening }) => ({
      fill: fill.state,
      opening: openings.indexOf(opening),
    }))
    return { openings: openings.map(copyOf), lots }
  }

  trips(): RoundTrip[] {
    const left = Map.groupBy(this.#lots, ({ opening }) => opening)
    return this.#openings.flatMap((opening) => {
      const rest = left.get(opening) ?? []
      const closed = opening.closings.map(([order, part]) => {
        // The trade itself lives on in what is still open, and is closed with the last of it.
        const isLast = rest.length === 0 && order === opening.lastClosing
        return closedTrip(opening, isLast ? opening.key : partKey(opening.key, order), part)
      })
      return rest.length > 0 ? [...closed, openTrip(opening, rest)] : closed
    })
  }
}

/** Fills that come later change an opening, and not the copy. */
const copyOf = (opening: Opening): Opening => ({
  ...opening,
  closings: opening.closings.map(([order, part]) => [order, part]),
})

const partKey = (key: string, order: string): string => `${key}/${order}`

/** Shares of an opening that an order has closed, besides those that it had closed before. */
function addPart(
  { closings }: Opening,
  order: string,
  {
    quantity,
    entry,
    exit,
    ...more
  }: Pick<Part, 'exitOrder' | 'quantity' | 'entryAt' | 'exitAt'> & Record<'entry' | 'exit', PricedPart>,
): void {
  const known = closings.find(([other]) => other === order)
  const before = known?.[1]
  const part = {
    ...more,
    quantity: add(before?.quantity ?? '0', quantity),
    entryValue: add(before?.entryValue ?? '0', entry.value),
    exitValue: add(before?.exitValue ?? '0', exit.value),
    fees: add(before?.fees ?? '0', add(entry.fees, exit.fees)),
    exitFees: add(before?.exitFees ?? '0', exit.fees),
    entryAt: before?.entryAt ?? more.entryAt,
  }
  if (known) known[1] = part
  else closings.push([order, part])
}

function closedTrip(
  { order, owner, side, symbol }: Opening,
  key: string,
  { exitOrder, quantity, entryValue, exitValue, fees, exitFees, entryAt, exitAt }: Part,
): RoundTrip {
  const realisedPnl = profit(side, { entryValue, exitValue, fees })
  return {
    key,
    symbol,
    owner,
    side,
    status: 'CLOSED',
    quantity,
    entryValue,
    exitValue,
    entryPrice: divideDown(entryValue, quantity, LEDGER_PLACES),
    exitPrice: divideDown(exitValue, quantity, LEDGER_PLACES),
    entryAt,
    exitAt,
    fees,
    exitFees,
    realisedPnl,
    realisedPnlPercent: percentOfEntry(realisedPnl, entryValue),
    entryOrder: order,
    exitOrder,
  }
}

function openTrip({ key, order, owner, side, symbol }: Opening, rest: readonly Lot[]): RoundTrip {
  const left = rest.map(({ fill }) => fill.rest())
  const quantity = rest.map(({ fill }) => fill.left).reduce(add, '0')
  const entryValue = left.map(({ value }) => value).reduce(add, '0')
  return {
    key,
    symbol,
    owner,
    side,
    status: 'OPEN',
    quantity,
    entryValue,
    exitValue: null,
    entryPrice: divideDown(entryValue, quantity, LEDGER_PLACES),
    exitPrice: null,
    entryAt: rest[0]!.fill.of.at,
    exitAt: null,
    fees: left.map(({ fees }) => fees).reduce(add, '0'),
    exitFees: '0',
    realisedPnl: null,
    realisedPnlPercent: null,
    entryOrder: order,
    exitOrder: null,
  }
}

/** Fills of one order belong together; shares that were held before are an order of their own. */
const orderKey = ({ brokerOrderId, executionId }: Fill): string => brokerOrderId ?? executionId
