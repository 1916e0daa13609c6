import { add, compare, isPositive, smaller, subtract, type Decimal } from './decimal.ts'
import type { Execution } from './fill.ts'
import type { TradeSide } from './profit.ts'

/**
 * Whose the shares of a position are: several signals, people and orders from elsewhere trade in one account and
 * symbol, and the broker adds it all up. `docs/decisions/0008-position-ownership.md` gives the reasons of the rules.
 */

/** Shares and their owner: the signal whose entry opened them; null for shares that no signal of ours opened. */
export interface OwnedShares {
  owner: string | null
  /** Shares, above zero. */
  quantity: Decimal
}

/**
 * What an order does to the owners.
 *
 * - entry: opens for its signal.
 * - exit: closes what its own signal opened.
 * - close: a signal that closes a position. person: a manual order placed here. Both close the shares that were set
 *   apart for them when they were decided, in that order.
 * - stranger: an order that was not placed here, or shares that were held before anybody looked.
 */
export type ShareOrigin =
  | { role: 'entry' | 'exit'; signalId: string }
  | { role: 'close' | 'person'; takes: readonly OwnedShares[] }
  | { role: 'stranger' }

/** An execution, and what its order does to the owners. */
export type AttributedExecution = Pick<Execution, 'side' | 'quantity' | 'orderFilled'> & {
  origin: ShareOrigin
}

/** The deciding side of a close: a signal takes the shares first that signals opened, anybody else what belongs to no signal. */
export type Closer = 'signal' | 'person'

/** The shares of one account and symbol, all of one side, by their owners. */
export class PositionShares {
  /** Oldest first. */
  readonly #lots: OwnedShares[]
  #side: TradeSide | null

  constructor(side: TradeSide | null = null, lots: readonly OwnedShares[] = []) {
    this.#side = lots.length === 0 ? null : side
    this.#lots = lots.map((lot) => ({ ...lot }))
  }

  /** Null when nothing is held. */
  get side(): TradeSide | null {
    return this.#side
  }

  /** Oldest first. */
  get lots(): readonly OwnedShares[] {
    return this.#lots
  }

  /** All shares, whoever's they are. */
  get quantity(): Decimal {
    return sumOf(this.#lots)
  }

  /** Shares of one owner; null for those of no signal. */
  of(owner: string | null): Decimal {
    return sumOf(this.#lots.filter((lot) => lot.owner === owner))
  }

  /** Adds or takes off what was executed: no execution changes the sum by anything but its own quantity. */
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

  /** The shares that are left when others have set these apart for their orders. */
  without(claims: readonly OwnedShares[]): PositionShares {
    const rest = new PositionShares(this.#side, this.#lots)
    for (const { owner, quantity } of claims) takeOf(owner, rest.#lots, quantity)
    rest.#dropEmpty()
    return rest
  }

  /** The shares that a close of so many is to take; fewer when there are not as many. */
  allot(quantity: Decimal, closer: Closer): OwnedShares[] {
    return divide(inOrder(this.#lots, closer), quantity).first
  }

  #dropEmpty(): void {
    this.#lots.splice(0, this.#lots.length, ...this.#lots.filter((lot) => isPositive(lot.quantity)))
    if (this.#lots.length === 0) this.#side = null
  }
}

/** Whose shares an order opens. */
export const ownerOf = (origin: ShareOrigin): string | null =>
  origin.role === 'entry' ? origin.signalId : null

/**
 * Takes off lots what an execution closes of them; lots may be left without shares.
 *
 * @param lots of the side that it closes, oldest first
 * @returns the shares that it has left when nothing is held any more
 */
export function takeOff(
  lots: readonly OwnedShares[],
  { quantity, orderFilled, origin }: Omit<AttributedExecution, 'side'>,
): Decimal {
  let left = quantity
  for (const { owner, quantity: most } of wantedBy(origin, subtract(orderFilled, quantity), quantity)) {
    const wanted = smaller(left, most)
    left = add(subtract(left, wanted), takeOf(owner, lots, wanted))
  }
  // Nothing was set apart for the rest, or its owner has lost it meanwhile.
  const closer = origin.role === 'close' || origin.role === 'entry' ? 'signal' : 'person'
  return take(inOrder(lots, closer), left)
}

/** Takes an owner's oldest shares off, as far as there are any; returns how many were not there. */
const takeOf = (owner: string | null, lots: readonly OwnedShares[], quantity: Decimal): Decimal =>
  take(
    lots.filter((lot) => lot.owner === owner),
    quantity,
  )

/** Takes shares off lots, one after the other; returns how many were not there. */
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

/** The lots in the order in which a closer takes them for which none were set apart. */
function inOrder(lots: readonly OwnedShares[], closer: Closer): OwnedShares[] {
  const isLast = ({ owner }: OwnedShares): boolean => (owner === null) === (closer === 'signal')
  return [...lots.filter((lot) => !isLast(lot)), ...lots.filter(isLast)]
}

/**
 * The shares that executions of one account and symbol have left.
 *
 * @param executions in the order in which they happened, from a moment on in which nothing was held
 */
export function sharesAfter(executions: Iterable<AttributedExecution>): PositionShares {
  const shares = new PositionShares()
  for (const execution of executions) shares.apply(execution)
  return shares
}

/** Whose shares an execution is to take first. */
function wantedBy(origin: ShareOrigin, before: Decimal, quantity: Decimal): readonly OwnedShares[] {
  switch (origin.role) {
    case 'exit':
      return [{ owner: origin.signalId, quantity }]
    case 'close':
    case 'person':
      return after(origin.takes, before)
    case 'entry':
    case 'stranger':
      return []
  }
}

/** The rest of the shares that were set apart for an order, once it has filled so many. */
export const after = (takes: readonly OwnedShares[], filled: Decimal): OwnedShares[] =>
  divide(takes, filled).rest

/** The first so many of these shares, and the rest of them. */
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
