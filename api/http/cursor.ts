import type { ListOrder, Place } from '#db/engine/page.ts'
import { createHash } from 'node:crypto'
import { inKeyOrder } from './key-order.ts'

/**
 * Cursors are places in lists, as text that means nothing to its holder. They hold no secret and no authority: whoever
 * makes one up moves within what the list shows them anyway. So they are not signed, only checked: for their form,
 * and for the list that they were made for.
 */

/** What a cursor is bound to: the list, its order and its filter. Nine bytes tell any two of a caller's apart. */
export const bindingOf = (list: string, order: ListOrder, filter: object): string =>
  createHash('sha256')
    .update(JSON.stringify([list, inKeyOrder(order), inKeyOrder(filter)]))
    .digest('base64url')
    .slice(0, 12)

export function presentCursor({ key, offset, total, totalIsExact }: Place, binding: string): string {
  const parts = ['p1', binding, offset, total, totalIsExact ? 'exact' : 'more', ...key]
  return Buffer.from(parts.join(' ')).toString('base64url')
}

const COUNT = /^\d{1,15}$/
const FORMS: Record<ListOrder['columns'][number]['type'], RegExp> = {
  timestamptz: /^\d{1,16}$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  bigint: /^\d{1,18}$/,
}

/** The place of a cursor; null for one that was not made for a list with this binding and order. */
export function placeOf(cursor: string, binding: string, order: ListOrder): Place | null {
  const [version, bound, offset, total, known, ...key] = Buffer.from(cursor, 'base64url')
    .toString()
    .split(' ')
  const isValid =
    version === 'p1' &&
    bound === binding &&
    COUNT.test(offset ?? '') &&
    COUNT.test(total ?? '') &&
    key.length === order.columns.length &&
    order.columns.every(({ type }, index) => FORMS[type].test(key[index]!))
  return isValid
    ? { key, offset: Number(offset), total: Number(total), totalIsExact: known === 'exact' }
    : null
}
