import { compare, type Decimal } from './decimal.ts'

export interface ChosenSize {
  quantity: Decimal
  /** Shares that the owner was shown; another position needs another choice. */
  shown: Decimal
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  by: string
  at: string
}

export interface ExitStanding {
  dueAt: string | null
  /** The executions of the account have been read to the end once: before that none explains a position. */
  isListed: boolean
  /** The owner has chosen a size, or accepted another number of shares, since the levels and prices were said. */
  isOfBefore: boolean
  choice: ChosenSize | null
  soldSince: Decimal
  /** What the comparison has told of the symbol, as lasting for longer than any answer lags; shares are negative when short. */
  told: { shown: Decimal; executed: Decimal } | null
}

export const unspent = ({ choice, soldSince }: ExitStanding): ChosenSize | null =>
  choice !== null && compare(choice.quantity, soldSince) > 0 ? choice : null
