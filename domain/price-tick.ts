import { compare, decimalPlaces, type Decimal } from './decimal.ts'

/** The least difference in dollars between two prices that brokers take (SEC rule 612). */
export const tickAt = (price: Decimal): Decimal => (compare(price, '1') >= 0 ? '0.01' : '0.0001')

/** Whether brokers take the price: from a dollar on in cents, below that in hundredths of a cent. */
export const isInTicks = (price: Decimal): boolean => decimalPlaces(price) <= decimalPlaces(tickAt(price))

/** What is wrong with a price that is not in ticks. */
export const NOT_IN_TICKS = 'must have at most 2 decimals, or 4 below a dollar'
