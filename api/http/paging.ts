import { fault, type Fault, validationError } from '#contract/errors.ts'
import type { ListOrder, Page, Slice, Place } from '#db/engine/page.ts'
import type { z } from 'zod'
import type { ApiContext } from './context.ts'
import { faultsIn } from '#contract/values/fields.ts'
import type { pagingAnswer, paging } from '#contract/values/query.ts'
import { createHash } from 'node:crypto'

/** Equal values give equal JSON. */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, inKeyOrder(inner)])
}

// A cursor gives no authority, so it is unsigned.

const bindingOf = (list: string, order: ListOrder, filter: object): string =>
  createHash('sha256')
    .update(JSON.stringify([list, inKeyOrder(order), inKeyOrder(filter)]))
    .digest('base64url')
    .slice(0, 12)

function presentCursor({ key, offset, total, totalIsExact }: Place, binding: string): string {
  const parts = ['p1', binding, offset, total, totalIsExact ? 'exact' : 'more', ...key]
  return Buffer.from(parts.join(' ')).toString('base64url')
}

const COUNT = /^\d{1,15}$/
const FORMS: Record<ListOrder['columns'][number]['type'], RegExp> = {
  timestamptz: /^\d{1,16}$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  bigint: /^\d{1,18}$/,
  numeric: /^-?\d{1,30}(\.\d{1,40})?$/,
  text: /^[A-Z\d./-]{1,20}$/,
}

function placeOf(cursor: string, binding: string, order: ListOrder): Place | null {
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

export interface AskedPage extends Page {
  binding: string
}

type PagingValues = z.output<z.ZodObject<typeof paging>>

export type OrderOf<Filter> = ListOrder | ((filter: Filter) => ListOrder)

/** Throws VALIDATION_ERROR with every fault. */
export function readListQuery<S extends z.ZodType<PagingValues>>(
  ctx: ApiContext,
  schema: S,
  orders: OrderOf<Omit<z.output<S>, keyof PagingValues>>,
): { filter: Omit<z.output<S>, keyof PagingValues>; page: AskedPage } {
  const result = schema.safeParse(ctx.state.query.values)
  const faults = [...(result.error ? faultsIn(result.error) : []), ...offsetBesideCursor(ctx)]
  if (!result.success || faults.length > 0) throw validationError(faults)
  const { limit, offset, cursor, ...filter } = result.data
  const order = typeof orders === 'function' ? orders(filter) : orders
  const binding = bindingOf(ctx.path, order, filter)
  const after = cursor === undefined ? null : placeOf(cursor, binding, order)
  if (cursor !== undefined && !after) throw validationError([strangeCursor])
  return { filter, page: { limit, offset, after, binding } }
}

const offsetBesideCursor = ({ state: { query } }: ApiContext): Fault[] =>
  query.values['cursor'] !== undefined && query.values['offset'] !== undefined
    ? [fault(['cursor'], 'cursor_and_offset', 'cursor takes the place of offset: send only one of them')]
    : []

const strangeCursor = fault(
  ['cursor'],
  'invalid_cursor',
  'cursor must be the nextCursor of an earlier answer of this list, sent with the same filters',
)

export const presentPaging = (
  { total, totalIsExact, offset, next }: Omit<Slice<unknown>, 'items'>,
  { limit, binding }: AskedPage,
): z.output<z.ZodObject<typeof pagingAnswer>> => ({
  total,
  totalIsExact,
  limit,
  offset,
  nextCursor: next && presentCursor(next, binding),
})

export function readQuery<S extends z.ZodType>(ctx: ApiContext, schema: S): z.output<S> {
  const result = schema.safeParse(ctx.state.query.values)
  if (result.success) return result.data
  throw validationError(faultsIn(result.error))
}
