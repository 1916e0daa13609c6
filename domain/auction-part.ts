import { divideDown, isPositive, isZero, subtract, type Decimal } from './decimal.ts'
import { EXIT_AT_MARKET, type ExitTerms } from './exit.ts'

/** The part of an exit that is sent next, and the rule by which it is. */
export interface ExitPart {
  /** Shares. */
  quantity: Decimal
  rule: ExitTerms
  /** The order is for the part of a share that the auction does not take. */
  isFraction: boolean
}

/**
 * Auctions take whole shares. Of 3.33 shares, as they are left by a reverse split, the 0.33 leave first, at market while the
 * session is on, and the 3 in the auction after that: the other way round the part would stay over night, because the order of
 * the auction ends with the session. A broker that does not sell the part keeps the whole shares from nothing.
 *
 * @param wholeFirst the broker did not sell the part: the whole shares leave first
 */
export function nextPart(rule: ExitTerms, quantity: Decimal, wholeFirst = false): ExitPart {
  const whole = divideDown(quantity, '1', 0)
  const fraction = subtract(quantity, whole)
  if (rule.timeInForce !== 'cls' || !isPositive(quantity) || isZero(fraction))
    return { quantity, rule, isFraction: false }
  if (wholeFirst && isPositive(whole)) return { quantity: whole, rule, isFraction: false }
  return { quantity: fraction, rule: atMarket(rule), isFraction: true }
}

/** The rule of an exit that leaves at market while the session is on, in place of the auction. */
export const atMarket = (rule: ExitTerms): ExitTerms => ({ ...rule, ...EXIT_AT_MARKET })
