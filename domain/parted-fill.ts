import { add, compare, divideDown, multiply, subtract, type Decimal, LEDGER_PLACES } from './decimal.ts'
import type { Fill } from './fill.ts'

export interface PartedFillState {
  of: Fill
  taken: Decimal
}

export interface PricedPart {
  value: Decimal
  fees: Decimal
}

/** A fill that is used part by part; its fees go with the shares and add up exactly. */
export class PartedFill {
  readonly of: Fill
  #taken: Decimal
  /** Kept, because it is read more often than it changes. */
  #left: Decimal

  constructor({ of, taken }: PartedFillState) {
    this.of = of
    this.#taken = taken
    this.#left = taken === '0' ? of.quantity : subtract(of.quantity, taken)
  }

  get state(): PartedFillState {
    return { of: this.of, taken: this.#taken }
  }

  get left(): Decimal {
    return this.#left
  }

  part(quantity: Decimal): PricedPart {
    const before = this.#feesOf(this.#taken)
    this.#taken = add(this.#taken, quantity)
    this.#left = subtract(this.#left, quantity)
    return { value: multiply(quantity, this.of.price), fees: subtract(this.#feesOf(this.#taken), before) }
  }

  rest(): PricedPart {
    const { price, fees } = this.of
    return { value: multiply(this.left, price), fees: subtract(fees, this.#feesOf(this.#taken)) }
  }

  #feesOf(quantity: Decimal): Decimal {
    const { fees, quantity: whole } = this.of
    if (compare(quantity, whole) === 0) return fees
    return divideDown(multiply(fees, quantity), whole, LEDGER_PLACES)
  }
}
