import { compare, type Decimal } from './decimal.ts'

/** The owner's choice of an exit's size, where the broker showed more than the signal's fills. */
export interface ChosenSize {
  quantity: Decimal
  /** Shares that the owner was shown; another position needs another choice. */
  shown: Decimal
  /** Dollars a share, in place of the rule's. */
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  by: string
  /** UTC instant. */
  at: string
}

export interface ExitStanding {
  /** UTC instant. */
  dueAt: string | null
  /** The executions of the account have been read to the end once: before that none explains a position. */
  isListed: boolean
  choice: ChosenSize | null
  /** Shares sold by its exits since the choice. */
  soldSince: Decimal
}

/** Shares filled after the choice are sold like any others. */
export const unspent = ({ choice, soldSince }: ExitStanding): ChosenSize | null =>
  choice !== null && compare(choice.quantity, soldSince) > 0 ? choice : null
