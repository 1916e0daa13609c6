import { add, compare, isPositive, smaller, subtract, type Decimal } from '../money/decimal.ts'
import type { Execution } from '../order/fill.ts'
import type { TradeSide } from '../money/profit.ts'
import { isExitAhead, type ExitStatus } from '../exit/exit.ts'
import { isWorking, type OrderReport, type OrderSide } from '../order/order.ts'
import type { Action } from '../signal/signal.ts'

/** Owners of shares in one account and symbol. Decision 7. */

/** The signal whose entry opened them, or null. */
export interface OwnedShares {
  owner: string | null
  quantity: Decimal
}

/**
 * entry: opens for its signal. exit: closes its signal's shares. close (a signal) and person (a manual order): close
 * the lots reserved at their decision. stranger: a foreign order, or shares before the first sync.
 */
export type ShareOrigin =
  | { role: 'entry' | 'exit'; signalId: string }
  | { role: 'close' | 'person'; reservedLots: readonly OwnedShares[] }
  | { role: 'stranger' }

export type AttributedExecution = Pick<Execution, 'side' | 'quantity' | 'orderFilled'> & {
  origin: ShareOrigin
}

/** A signal closes shares of signals first, a person unowned ones. */
export type Closer = 'signal' | 'person'

export class PositionShares {
  readonly #lots: OwnedShares[]
  #side: TradeSide | null
  readonly #adopter: string | null

  /** `adopter`: the signal that owns unowned shares. */
  constructor(
    side: TradeSide | null = null,
    lots: readonly OwnedShares[] = [],
    adopter: string | null = null,
  ) {
    this.#adopter = adopter
    this.#side = lots.length === 0 ? null : side
    this.#lots = lots.map((lot) => ({ ...lot }))
  }

  get adopter(): string | null {
    return this.#adopter
  }

  get side(): TradeSide | null {
    return this.#side
  }

  get lots(): readonly OwnedShares[] {
    return this.#lots
  }

  get quantity(): Decimal {
    return sumOf(this.#lots)
  }

  of(owner: string | null): Decimal {
    if (owner === null && this.#adopter !== null) return '0'
    const named = owner === this.#adopter ? null : owner
    return sumOf(this.#lots.filter((lot) => lot.owner === named))
  }

  apply(execution: AttributedExecution): void {
    const { side, quantity, origin } = execution
    const direction: TradeSide = side === 'BUY' ? 'LONG' : 'SHORT'
    let left = quantity
    if (this.#side !== null && this.#side !== direction) {
      left = takeOff(this.#lots, execution)
      this.#dropEmpty()
    }
    if (!isPositive(left)) return
    this.#side = direction
    this.#lots.push({ owner: ownerOf(origin), quantity: left })
  }

  keeping(isKept: (owner: string | null) => boolean): PositionShares {
    return this.withLots(
      this.#side,
      this.#lots.filter(({ owner }) => isKept(owner)),
    )
  }

  withLots(side: TradeSide | null, lots: readonly OwnedShares[]): PositionShares {
    return new PositionShares(side, lots, this.#adopter)
  }

  without(claims: readonly OwnedShares[]): PositionShares {
    const rest = new PositionShares(this.#side, this.#lots, this.#adopter)
    for (const { owner, quantity } of claims)
      takeOf(owner === this.#adopter ? null : owner, rest.#lots, quantity)
    rest.#dropEmpty()
    return rest
  }

  allot(quantity: Decimal, closer: Closer): OwnedShares[] {
    return divide(inOrder(this.#lots, closer), quantity).first
  }

  #dropEmpty(): void {
    this.#lots.splice(0, this.#lots.length, ...this.#lots.filter((lot) => isPositive(lot.quantity)))
    if (this.#lots.length === 0) this.#side = null
  }
}

export const ownerOf = (origin: ShareOrigin): string | null =>
  origin.role === 'entry' ? origin.signalId : null

/** Takes an execution off the lots (oldest first), and returns the shares beyond the position. Empty lots remain. */
export function takeOff(
  lots: readonly OwnedShares[],
  { quantity, orderFilled, origin }: Omit<AttributedExecution, 'side'>,
): Decimal {
  let left = quantity
  for (const { owner, quantity: most } of wantedBy(origin, subtract(orderFilled, quantity), quantity)) {
    const wanted = smaller(left, most)
    left = add(subtract(left, wanted), takeOf(owner, lots, wanted))
  }
  const closer = origin.role === 'close' || origin.role === 'entry' ? 'signal' : 'person'
  return take(inOrder(lots, closer), left)
}

/** Oldest first; returns the missing shares. */
const takeOf = (owner: string | null, lots: readonly OwnedShares[], quantity: Decimal): Decimal =>
  take(
    lots.filter((lot) => lot.owner === owner),
    quantity,
  )

function take(lots: readonly OwnedShares[], quantity: Decimal): Decimal {
  let left = quantity
  for (const lot of lots) {
    if (!isPositive(left)) break
    const part = smaller(lot.quantity, left)
    lot.quantity = subtract(lot.quantity, part)
    left = subtract(left, part)
  }
  return left
}

function inOrder(lots: readonly OwnedShares[], closer: Closer): OwnedShares[] {
  const isLast = ({ owner }: OwnedShares): boolean => (owner === null) === (closer === 'signal')
  return [...lots.filter((lot) => !isLast(lot)), ...lots.filter(isLast)]
}

export function sharesAfter(
  executions: Iterable<AttributedExecution>,
  adopter: string | null = null,
): PositionShares {
  const shares = new PositionShares(null, [], adopter)
  for (const execution of executions) shares.apply(execution)
  return shares
}

function wantedBy(origin: ShareOrigin, before: Decimal, quantity: Decimal): readonly OwnedShares[] {
  switch (origin.role) {
    case 'exit':
      return [{ owner: origin.signalId, quantity }]
    case 'close':
    case 'person':
      return after(origin.reservedLots, before)
    case 'entry':
    case 'stranger':
      return []
  }
}

export const after = (reservedLots: readonly OwnedShares[], filled: Decimal): OwnedShares[] =>
  divide(reservedLots, filled).rest

export function divide(
  shares: readonly OwnedShares[],
  quantity: Decimal,
): { first: OwnedShares[]; rest: OwnedShares[] } {
  const first: OwnedShares[] = []
  const rest: OwnedShares[] = []
  let left = quantity
  for (const { owner, quantity: all } of shares) {
    const part = smaller(left, all)
    left = subtract(left, part)
    if (isPositive(part)) first.push({ owner, quantity: part })
    if (compare(all, part) > 0) rest.push({ owner, quantity: subtract(all, part) })
  }
  return { first, rest }
}

const sumOf = (lots: readonly OwnedShares[]): Decimal =>
  lots.reduce<Decimal>((sum, { quantity }) => add(sum, quantity), '0')

const CLOSED_BY = { LONG: 'SELL', SHORT: 'BUY_TO_COVER' } as const satisfies Record<TradeSide, OrderSide>
const OPENED_BY = { LONG: 'openLong', SHORT: 'openShort' } as const satisfies Record<TradeSide, Action>

export interface HeldShares {
  side: TradeSide
  quantity: Decimal
}

export interface SignalWithExit {
  action: Action
  filledQuantity: Decimal
  exitStatus: ExitStatus
}

export type OrderOnShares = Pick<OrderReport, 'side' | 'status' | 'quantity' | 'filledQuantity'>

export const closesShares = (held: HeldShares, { side, status }: OrderOnShares): boolean =>
  isWorking(status) && side === CLOSED_BY[held.side]

export const willClose = (held: HeldShares, { action, exitStatus }: SignalWithExit): boolean =>
  action === OPENED_BY[held.side] && isExitAhead(exitStatus)

/** No working order or exit will close them. A sent exit counts by its order. */
export function uncoveredShares(
  held: HeldShares,
  signals: readonly SignalWithExit[],
  orders: readonly OrderOnShares[],
): Decimal {
  const planned = signals.filter((signal) => willClose(held, signal)).map((signal) => signal.filledQuantity)
  const working = orders
    .filter((order) => closesShares(held, order))
    .map((order) => subtract(order.quantity, order.filledQuantity))
  const covered = [...planned, ...working].filter(isPositive).reduce(add, '0')
  return subtract(held.quantity, smaller(covered, held.quantity))
}
