import { divideDown, isPositive, isZero, subtract, type Decimal } from './decimal.ts'
import { EXIT_AT_MARKET, type ExitTerms } from './exit.ts'

export interface ExitPart {
  quantity: Decimal
  rule: ExitTerms
  isFraction: boolean
}

/**
 * Auctions take whole shares. Of 3.33 shares the 0.33 leave first, at market in the session, then the 3 in the
 * auction: the other way round the part would stay over night, because the auction's order ends with the
 * session.
 * @param wholeFirst the broker did not sell the part
 */
export function nextPart(rule: ExitTerms, quantity: Decimal, wholeFirst = false): ExitPart {
  const whole = divideDown(quantity, '1', 0)
  const fraction = subtract(quantity, whole)
  if (rule.timeInForce !== 'cls' || !isPositive(quantity) || isZero(fraction))
    return { quantity, rule, isFraction: false }
  if (wholeFirst && isPositive(whole)) return { quantity: whole, rule, isFraction: false }
  return { quantity: fraction, rule: atMarket(rule), isFraction: true }
}

export const atMarket = (rule: ExitTerms): ExitTerms => ({ ...rule, ...EXIT_AT_MARKET })
