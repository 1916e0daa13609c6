import { randomInt } from 'node:crypto'
import { isOurs } from '#domain/order/order.ts'

/**
 * Alpaca makes another order at each change. Ours get the first id with a suffix, which names the order without a look
 * at its predecessors, and distinguishes our changes from a person's.
 */
const SUFFIX = /\.[0-9a-z]{1,5}$/

export const successorName = (clientOrderId: string): string =>
  `${clientOrderId}.${randomInt(36 ** 5).toString(36)}`

export function placedAs(name: string): string | null {
  const first = name.replace(SUFFIX, '')
  return isOurs(first) ? first : null
}
