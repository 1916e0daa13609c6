import Big from 'big.js'

/** Exact text such as "12.5": a binary float cannot hold a cent. */
export type Decimal = `${number}`

export const LEDGER_PLACES = 9

/** No exponent, no trailing zeros, "0" for every zero. Throws on anything else. */
export function decimal(value: string | number): Decimal {
  return canonical(new Big(value))
}

export function isDecimal(value: unknown): value is Decimal | number {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'string' && /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(value)
}

export const add = (a: Decimal, b: Decimal): Decimal => canonical(new Big(a).plus(b))
export const subtract = (a: Decimal, b: Decimal): Decimal => canonical(new Big(a).minus(b))
export const multiply = (a: Decimal, b: Decimal): Decimal => canonical(new Big(a).times(b))

/** big.js stores places and rounding of a division on the constructor. */
const BigDown = Big()
BigDown.RM = BigDown.roundDown

/** A quotient rounded towards zero. Throws on a division by zero. */
export const divideDown = (a: Decimal, b: Decimal, places: number): Decimal => {
  BigDown.DP = places
  return canonical(new BigDown(a).div(b))
}

export const compare = (a: Decimal, b: Decimal): -1 | 0 | 1 => new Big(a).cmp(b)
export const isZero = (a: Decimal): boolean => compare(a, '0') === 0
export const isPositive = (a: Decimal): boolean => compare(a, '0') > 0
export const isSame = (a: Decimal | null, b: Decimal | null): boolean =>
  a === null || b === null ? a === b : compare(a, b) === 0
export const larger = (a: Decimal, b: Decimal): Decimal => (compare(a, b) >= 0 ? a : b)
export const smaller = (a: Decimal, b: Decimal): Decimal => (compare(a, b) <= 0 ? a : b)
export const negate = (a: Decimal): Decimal => canonical(new Big(a).times(-1))
export const magnitude = (a: Decimal): Decimal => canonical(new Big(a).abs())

export const round = (a: Decimal, places: number): Decimal =>
  canonical(new Big(a).round(places, Big.roundHalfUp))

export const decimalPlaces = (a: Decimal): number => decimal(a).split('.')[1]?.length ?? 0

function canonical(big: Big): Decimal {
  return big.eq(0) ? '0' : (big.toFixed() as Decimal)
}

/** "7.000000000" becomes "7", a million "1,000,000". */
export function figure(value: Decimal): string {
  const [whole = '', fraction] = decimal(value).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

export const shareCount = (quantity: Decimal): string => `${figure(quantity)} ${sharesAs(quantity)}`

export const sharesOf = (part: Decimal, total: Decimal): string =>
  `${figure(part)} of ${figure(total)} ${sharesAs(total)}`

const sharesAs = (quantity: Decimal): string => (compare(magnitude(quantity), '1') === 0 ? 'share' : 'shares')

/** Rounded to cents: "$1,000,000", "$187.50". */
export function dollarAmount(amount: Decimal): string {
  const rounded = round(amount, 2)
  const [whole = '', cents] = figure(magnitude(rounded)).split('.')
  return `${compare(rounded, '0') < 0 ? '-' : ''}$${whole}${cents === undefined ? '' : `.${cents.padEnd(2, '0')}`}`
}
