import { compare, decimal, magnitude, round, type Decimal } from './decimal.ts'

/** "7.000000000" of the database reads "7", and a million "1,000,000". */
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
