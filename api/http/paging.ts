import { fault, type Fault, validationError } from '#contract/errors.ts'
import type { ListOrder, Page, Slice, Place } from '#db/engine/page.ts'
import { z } from 'zod'
import type { ApiContext } from './caller.ts'
import { faultsIn } from '#contract/values/fields.ts'
import { type paging, pagingAnswer } from '#contract/values/query.ts'
import { createHash } from 'node:crypto'

/** A value whose objects became lists of their entries by name: as JSON, equal values are equal texts. */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, inKeyOrder(inner)])
}

type QuerySecret = 'apiKey' | 'ticket'

export interface Query {
  values: Readonly<Record<string, string | string[]>>
  secrets: Record<QuerySecret, string[]>
  faults: Fault[]
}

export const MAX_PARAMETERS = 50
/** Characters as written, beside those of {@link LONG_VALUES}. */
export const MAX_LENGTH = 2_048

const ENCODED = 12

/** Characters as written of values that may be longer, once each. */
export const LONG_VALUES: ReadonlyMap<string, number> = new Map([
  ['cursor', 900],
  ['ticket', 300],
  ['apiKey', 300],
  ['sourceId', 255 * ENCODED],
  // Fifty symbols of twenty characters, each sign of them as `%XX`, and what separates them.
  ['symbols', 50 * (20 * 3 + 3)],
])

/** In linear time (Koa's own way takes half a second for 16 kB). `text` is without its question mark. */
export function parseQuery(text: string): Query {
  const query: Query = { values: {}, secrets: { apiKey: [], ticket: [] }, faults: [] }
  if (text === '') return query
  // One more than allowed is enough to know that there are too many.
  const parts = text.split('&', MAX_PARAMETERS + 1)
  if (parts.length > MAX_PARAMETERS) return { ...query, faults: [tooMany] }
  const parameters = parts.flatMap((part) => readParameter(part))
  if (!isShort(parameters)) return { ...query, faults: [tooLong] }
  const values = new Map<string, string[]>()
  for (const { name, value } of parameters)
    if (name === 'apiKey' || name === 'ticket') query.secrets[name].push(value)
    else values.set(name, [...(values.get(name) ?? []), value])
  // Made of entries, so that a parameter `__proto__` is a name like any other.
  query.values = Object.fromEntries(
    [...values].map(([name, given]) => [name, given.length === 1 ? given[0]! : given]),
  )
  return query
}

interface Parameter {
  name: string
  value: string
  length: number
}

const readParameter = (part: string): Parameter[] =>
  // Without the `&` a question mark at its beginning would be left out.
  [...new URLSearchParams(`&${part}`)].map(([name, value]) => ({ name, value, length: part.length }))

function isShort(parameters: Parameter[]): boolean {
  const seen = new Set<string>()
  let length = 0
  for (const { name, length: own } of parameters) {
    const most = LONG_VALUES.get(name)
    const isLongOnce = most !== undefined && !seen.has(name)
    if (isLongOnce && own > most + name.length * 3 + 1) return false
    if (!isLongOnce) length += own
    seen.add(name)
  }
  return length <= MAX_LENGTH
}

const tooMany = fault([], 'too_many_parameters', `The query has more than ${MAX_PARAMETERS} parameters`)
const tooLong = fault([], 'query_too_long', `The query is longer than ${MAX_LENGTH} characters`)

/** A cursor gives no authority beyond its list, so it is not signed; its form and its list are checked. */

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

/** The cursor takes the place of the offset, for its list. Throws {@link ApiError} with every fault. */
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
