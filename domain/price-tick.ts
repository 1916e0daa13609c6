import { compare, type Decimal } from './decimal.ts'

/** The least difference in dollars between two prices that brokers take (SEC rule 612). */
export const tickAt = (price: Decimal): Decimal => (compare(price, '1') >= 0 ? '0.01' : '0.0001')
