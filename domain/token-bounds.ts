import { compare, type Decimal } from './decimal.ts'
import { dollarAmount } from './figures.ts'

/**
 * The bounds of an access token, which its owner set when it was made; a bound that is left out bounds nothing. Those of a token never
 * change; those of a hook do, with its accounts and its switch to live accounts.
 */
export interface TokenBounds {
  /** The token opens a position only with the approval of a person: by pending signals. */
  pendingOnly?: true
  /** The token acts on these accounts alone. */
  accountIds?: readonly string[]
  /** The token opens positions in these symbols alone. */
  symbols?: readonly string[]
  /** Dollars that an order which opens a position may be worth at most, unless a person has approved it. */
  maxOrderValue?: Decimal
  /** The token withdraws, replaces and cancels only the signals and orders that it has sent itself. */
  ownSignalsOnly?: true
  /** It opens positions on demo accounts alone; of hooks that are not switched to live ones. */
  demoOnly?: true
}
export type TokenBound = keyof TokenBounds

export const TOKEN_BOUNDS = [
  'pendingOnly',
  'accountIds',
  'symbols',
  'maxOrderValue',
  'ownSignalsOnly',
  'demoOnly',
] as const satisfies readonly TokenBound[]

export const UNBOUNDED: TokenBounds = {}

/** The act of a token, as far as its bounds are concerned; fields that are left out are not touched. */
export interface BoundedAct {
  /** The account on which it acts. */
  accountId?: string
  /** Set where it would open a position. */
  opening?: {
    symbol: string
    /** A person approves it before its order is sent. */
    awaitsApproval: boolean
    /** Dollars that the order is worth, or surely more than that; null when that is not known. */
    value: Decimal | null
    /** The account is a demo account; left out where that is not known. */
    isDemo?: boolean
  }
  /** Set where it changes something that was sent before: whether this token has sent that. */
  isOwn?: boolean
}

export interface ExceededBound {
  bound: TokenBound
  /** Says what would fit. */
  message: string
}

/** The bounds that an act exceeds, each with words that say what would fit; empty for an act within all of them. */
export function exceededBounds(
  bounds: TokenBounds,
  { accountId, opening, isOwn }: BoundedAct,
): ExceededBound[] {
  const { pendingOnly, accountIds, symbols, maxOrderValue, ownSignalsOnly, demoOnly } = bounds
  const exceeded: ExceededBound[] = []
  if (pendingOnly && opening?.awaitsApproval === false)
    exceeded.push({
      bound: 'pendingOnly',
      message: 'The token opens positions by pending signals only, which a person approves',
    })
  if (accountIds && accountId !== undefined && !accountIds.includes(accountId))
    exceeded.push({
      bound: 'accountIds',
      message: `The token acts on these accounts only: ${accountIds.join(', ')}`,
    })
  if (symbols && opening && !symbols.includes(opening.symbol))
    exceeded.push({
      bound: 'symbols',
      message: `The token opens positions in these symbols only: ${symbols.join(', ')}`,
    })
  if (maxOrderValue !== undefined && opening?.value != null && compare(opening.value, maxOrderValue) > 0)
    exceeded.push({
      bound: 'maxOrderValue',
      message: `The order is worth ${dollarAmount(opening.value)}, the token opens positions by orders of at most ${dollarAmount(maxOrderValue)}`,
    })
  if (ownSignalsOnly && isOwn === false)
    exceeded.push({
      bound: 'ownSignalsOnly',
      message: 'The token changes only what it has sent itself',
    })
  if (demoOnly && opening?.isDemo === false)
    exceeded.push({
      bound: 'demoOnly',
      message: 'The hook opens positions on demo accounts only, until it is switched to live ones',
    })
  return exceeded
}
