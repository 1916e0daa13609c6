import { compare, type Decimal } from './decimal.ts'

/** How many shares an exit is to sell, as its owner has said when the broker showed more than the signal's fills give. */
export interface ChosenSize {
  quantity: Decimal
  /** Shares of the position that the owner was shown; for another one the question is asked anew. */
  shown: Decimal
  /** Dollars a share, in the place of those of the rule; null where it has none. */
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  by: string
  /** UTC instant. */
  at: string
}

/** Where the exit of a signal stands, beside its sizes. */
export interface ExitStanding {
  /** Since when it is to be sent; UTC instant, null when that is not known. */
  dueAt: string | null
  /** The executions of the account have been read to the end once: before that, none explains a position. */
  isListed: boolean
  choice: ChosenSize | null
  /** Shares that its exits have sold since the choice. */
  soldSince: Decimal
}

/** The choice of the owner while shares of it are to be sold; shares that were filled after that are sold like any others. */
export const unspent = ({ choice, soldSince }: ExitStanding): ChosenSize | null =>
  choice !== null && compare(choice.quantity, soldSince) > 0 ? choice : null
