import {
  add,
  divideDown,
  isPositive,
  isZero,
  subtract,
  type Decimal,
  LEDGER_PLACES,
} from '../money/decimal.ts'
import {
  byExecution,
  type Fill,
  FillAllocator,
  type FillAllocatorState,
  type PricedPart,
} from '../order/fill.ts'
import { ownerOf, takeOff, type ShareOrigin } from './ownership.ts'
import { percentOfEntry, profit, type TradeSide } from '../money/profit.ts'

export const TRADE_STATUSES = ['OPEN', 'CLOSED'] as const
export type TradeStatus = (typeof TRADE_STATUSES)[number]

export type AttributedFill = Fill & { origin: ShareOrigin }

/**
 * Shares of one opening order that another order closed, or the open rest. Owners decide about a close
 * (`ownership.ts`), first in first out within an owner. Order ids are the broker's, null for shares before the first
 * sync.
 */
export interface RoundTrip {
  /** Unique for account and symbol, stable in replays. A partial close is its own trade. */
  key: string
  symbol: string
  owner: string | null
  side: TradeSide
  status: TradeStatus
  quantity: Decimal
  /** Dollars of all shares, exact; prices follow, rounded. */
  entryValue: Decimal
  exitValue: Decimal | null
  entryPrice: Decimal
  exitPrice: Decimal | null
  entryAt: string
  exitAt: string | null
  fees: Decimal
  exitFees: Decimal
  realisedPnl: Decimal | null
  realisedPnlPercent: Decimal | null
  entryOrder: string | null
  exitOrder: string | null
}

export interface Trading {
  trips: RoundTrip[]
  /** By execution, where the next has another instant. */
  checkpoints: Map<string, Checkpoint>
}

export interface Checkpoint {
  openings: Opening[]
  lots: { fill: FillAllocatorState; opening: number }[]
}

/** Fills between checkpoints, unless too many lots are held. */
const CHECKPOINT_EVERY = 50
const MAX_LOTS_IN_CHECKPOINT = 200

/** Trades from fills: all, or all since `from`, in any order, with repetitions. */
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

export const keysIn = ({ openings }: Checkpoint = NOTHING_HELD): string[] =>
  openings.flatMap(({ key, closings }) => [key, ...closings.map(([order]) => partKey(key, order))])

interface Lot {
  fill: FillAllocator
  opening: Opening
}

interface Opening {
  key: string
  order: string | null
  owner: string | null
  side: TradeSide
  symbol: string
  closings: [order: string, part: Part][]
  lastClosing: string | null
}

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
  #lots: Lot[]
  readonly #openings: Opening[]
  readonly #current: Map<string, Opening>

  constructor({ openings, lots }: Checkpoint) {
    this.#openings = openings.map(copyOf)
    this.#lots = lots.map(({ fill, opening }) => ({
      fill: new FillAllocator(fill),
      opening: this.#openings[opening]!,
    }))
    this.#current = new Map(this.#lots.map(({ fill, opening }) => [orderKey(fill.of), opening]))
  }

  get lots(): number {
    return this.#lots.length
  }

  take({ origin, ...fill }: AttributedFill): void {
    const side = fill.side === 'BUY' ? 'LONG' : 'SHORT'
    const parted = new FillAllocator({ of: fill, taken: '0' })
    if (this.#lots[0] && this.#lots[0].opening.side !== side) this.#close(parted, origin)
    if (isPositive(parted.left)) this.#open(parted, side, ownerOf(origin))
  }

  #open(fill: FillAllocator, side: TradeSide, owner: string | null): void {
    const { brokerOrderId: order, executionId, symbol } = fill.of
    let opening = this.#current.get(orderKey(fill.of))
    if (!opening) {
      opening = { key: executionId, order, owner, side, symbol, closings: [], lastClosing: null }
      this.#current.set(orderKey(fill.of), opening)
      this.#openings.push(opening)
    }
    this.#lots.push({ fill, opening })
  }

  #close(fill: FillAllocator, origin: ShareOrigin): void {
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
        // The trade remains the open rest, and closes with its last part.
        const isLast = rest.length === 0 && order === opening.lastClosing
        return closedTrip(opening, isLast ? opening.key : partKey(opening.key, order), part)
      })
      return rest.length > 0 ? [...closed, openTrip(opening, rest)] : closed
    })
  }
}

const copyOf = (opening: Opening): Opening => ({
  ...opening,
  closings: opening.closings.map(([order, part]) => [order, part]),
})

const partKey = (key: string, order: string): string => `${key}/${order}`

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

/** Shares before the first sync are their own order. */
const orderKey = ({ brokerOrderId, executionId }: Fill): string => brokerOrderId ?? executionId
