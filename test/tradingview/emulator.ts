/** A bar of a chart: when it began, and its prices in dollars. */
export interface Bar {
  time: Date
  open: number
  high: number
  low: number
  close: number
}

/** An order that the strategy's own broker has filled: the cause of one alert. Shares are positive, positions signed. */
export interface Fill {
  bar: Bar
  /** Fills of one moment are told at once: 0 at the open, then each leg of the bar's path. */
  moment: number
  action: 'buy' | 'sell'
  contracts: number
  price: number
  id: string
  comment: string
  alertMessage: string
  position: number
  positionBefore: number
}

/** Texts that a script gives to an order; a comment that is missing is the order's id. */
export interface Notes {
  comment?: string
  alertMessage?: string
}

type Direction = 'long' | 'short'
type MarketOrder = Notes & { id: string } & (
    | { kind: 'entry'; direction: Direction; shares: number }
    | { kind: 'close'; of: string | null; shares?: number }
  )
type PricedExit = Notes & { id: string; of: string; shares: number; limit?: number; stop?: number }
type When = Pick<Fill, 'bar' | 'moment'>
/** Shares that one entry has opened, negative for a short position. */
type Lot = { id: string; shares: number }

/**
 * TradingView's broker emulator, as far as alerts show it: an order at market fills at the next bar's open, in the order of the
 * calls; an entry against the position is ONE order for the old position and the new one; no more than `pyramiding` entries
 * of one direction are open; a close takes the oldest entries first; a priced exit fills where the bar's path comes to its price.
 *
 * Not of it: margin calls, order expiry, OCA groups, `calc_on_every_tick`, slippage, gaps between bars.
 */
export class Strategy {
  readonly #pyramiding: number
  #lots: Lot[] = []
  #atMarket: MarketOrder[] = []
  #exits: PricedExit[] = []

  /** @param pyramiding open entries of one direction at most, as in `strategy(pyramiding = …)`; 0 and 1 mean one */
  constructor({ pyramiding = 1 }: { pyramiding?: number } = {}) {
    this.#pyramiding = Math.max(pyramiding, 1)
  }

  /** `strategy.position_size`: shares, negative for a short position. */
  get position(): number {
    return this.#lots.reduce((sum, { shares }) => sum + shares, 0)
  }

  /** `strategy.entry(id, direction, qty)`: at market, with the next bar; replaces the waiting entry of the same id. */
  entry(id: string, direction: Direction, shares: number, notes: Notes = {}): void {
    this.#atMarket = this.#atMarket.filter((order) => order.kind !== 'entry' || order.id !== id)
    this.#atMarket.push({ ...notes, kind: 'entry', id, direction, shares })
  }

  /** `strategy.close(id, qty)`: shares of that entry, all of them by default. */
  close(id: string, { shares, ...notes }: Notes & { shares?: number } = {}): void {
    const order = { ...notes, kind: 'close', id: `Close entry(s) order ${id}`, of: id } as const
    this.#atMarket.push(shares === undefined ? order : { ...order, shares })
  }

  /** `strategy.close_all()` */
  closeAll(notes: Notes = {}): void {
    this.#atMarket.push({ ...notes, kind: 'close', id: 'Close position order', of: null })
  }

  /** `strategy.exit(id, from_entry, qty, limit, stop)`: waits for its price, and replaces the exit of the same id. */
  exit(exit: PricedExit): void {
    this.#exits = [...this.#exits.filter(({ id }) => id !== exit.id), exit]
  }

  /** Plays one bar: the fills, in their order. */
  play(bar: Bar): Fill[] {
    const orders = this.#atMarket
    this.#atMarket = []
    const fills = orders.flatMap((order) => this.#fillAtMarket(order, bar))
    const { open, high, low, close } = bar
    const path = high - open < open - low ? [open, high, low, close] : [open, low, high, close]
    return [
      ...fills,
      ...path.flatMap((price, step) =>
        this.#fillExits({ bar, moment: step }, path[step - 1] ?? price, price),
      ),
    ]
  }

  #fillAtMarket(order: MarketOrder, bar: Bar): Fill[] {
    const when = { bar, moment: 0 }
    const before = this.position
    if (order.kind === 'close') {
      const held = Math.abs(this.#sharesOf(order.of))
      return this.#reduce(order, order.of, Math.min(order.shares ?? held, held), when, bar.open)
    }
    const sign = order.direction === 'long' ? 1 : -1
    if (before * sign < 0) {
      this.#lots = []
      this.#exits = []
    } else if (this.#lots.length >= this.#pyramiding) return []
    this.#lots.push({ id: order.id, shares: sign * order.shares })
    return [this.#filled(order, when, bar.open, before)]
  }

  /** Exits whose price lies between two points of the bar's path, the nearest first. */
  #fillExits(when: When, from: number, to: number): Fill[] {
    const reached = this.#exits
      .flatMap((exit) => [exit.limit, exit.stop].map((price) => ({ exit, price })))
      .filter(({ price }) => price !== undefined && (price - from) * (price - to) <= 0)
      .toSorted((a, b) => Math.abs(a.price! - from) - Math.abs(b.price! - from))
    return reached.flatMap(({ exit, price }) => {
      if (!this.#exits.includes(exit) || this.#sharesOf(exit.of) === 0) return []
      this.#exits = this.#exits.filter((other) => other !== exit)
      return this.#reduce(
        exit,
        exit.of,
        Math.min(exit.shares, Math.abs(this.#sharesOf(exit.of))),
        when,
        price!,
      )
    })
  }

  #sharesOf(entry: string | null): number {
    return this.#lots.reduce(
      (sum, { id, shares }) => (entry === null || id === entry ? sum + shares : sum),
      0,
    )
  }

  #reduce(
    order: Notes & { id: string },
    of: string | null,
    shares: number,
    when: When,
    price: number,
  ): Fill[] {
    const before = this.position
    let left = shares
    for (const lot of this.#lots) {
      if (of !== null && lot.id !== of) continue
      const part = Math.min(left, Math.abs(lot.shares))
      lot.shares -= Math.sign(lot.shares) * part
      left -= part
    }
    this.#lots = this.#lots.filter((lot) => lot.shares !== 0)
    if (this.position === 0) this.#exits = []
    return shares === 0 ? [] : [this.#filled(order, when, price, before)]
  }

  #filled(order: Notes & { id: string }, when: When, price: number, positionBefore: number): Fill {
    const { position } = this
    return {
      ...when,
      action: position > positionBefore ? 'buy' : 'sell',
      contracts: Math.abs(position - positionBefore),
      price,
      id: order.id,
      comment: order.comment ?? order.id,
      alertMessage: order.alertMessage ?? '',
      position,
      positionBefore,
    }
  }
}
