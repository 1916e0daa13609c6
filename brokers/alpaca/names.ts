import { randomInt } from 'node:crypto'
import { isOurs } from '#domain/manual-order.ts'

/**
 * Alpaca makes another order whenever one is changed, with a client order id that it makes up unless one is given. Those that we
 * change get the id of the first with a suffix, so that it names the order whose they are without a look at those before, and
 * tells our changes from those of a person.
 */
const SUFFIX = /\.[0-9a-z]{1,5}$/

/** The client order id for an order that replaces one of ours. */
export const successorName = (clientOrderId: string): string =>
  `${clientOrderId}.${randomInt(36 ** 5).toString(36)}`

/** The client order id under which we placed the order that has this name; null for a name that is not of ours. */
export function placedAs(name: string): string | null {
  const first = name.replace(SUFFIX, '')
  return isOurs(first) ? first : null
}
