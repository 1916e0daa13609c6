import type { ListOrder, Page, Slice } from '#db/engine/page.ts'
import { z } from 'zod'
import type { ApiContext } from './context.ts'
import { bindingOf, placeOf, presentCursor } from './cursor.ts'
import { fault, validationError, type Fault } from './errors.ts'
import { faultsIn } from './validation/fields.ts'
import type { paging } from './validation/query.ts'

/** A page as a caller asks for it. */
export interface AskedPage extends Page {
  /** What cursors of this list are bound to. */
  binding: string
}

type PagingValues = z.output<z.ZodObject<typeof paging>>

/** The order of a list, where it has several by what is asked for. */
export type OrderOf<Filter> = ListOrder | ((filter: Filter) => ListOrder)

/**
 * The query of a list, whose schema contains {@link paging}, and the page that it asks for. A cursor takes the place of
 * the offset, and is good for the list, order and filter that it was made for; the limit may change on the way.
 * Throws {@link ApiError} naming every fault.
 */
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

/** What every list says of itself beside its rows. */
export const pagingAnswer = {
  total: z.int().describe('How many rows there are; as counted on the first page, where a cursor was sent'),
  totalIsExact: z.boolean().describe('False when there are more rows than are counted, which is 10,000'),
  limit: z.int(),
  offset: z.int().describe('Rows before the first one shown'),
  nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last one'),
}

/** What a list says of itself beside its rows. */
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
