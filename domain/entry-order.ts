import type { Decimal } from './decimal.ts'
import { orderAsSent, type OrderShape, type OrderTerms } from './order.ts'
import { ENTRY_SIDE, type SignalTerms } from './signal.ts'

/** The entry order that a signal asks its broker for, once its size is known; shares. */
export const entryOrder = (terms: OrderTerms & Pick<SignalTerms, 'action'>, quantity: Decimal): OrderShape =>
  orderAsSent(terms, ENTRY_SIDE[terms.action], quantity)
