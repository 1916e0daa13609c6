import type { EntityName, FilterQuery } from '@mikro-orm/postgresql'
import type { EntityManager } from './database.ts'
import { readerOf, selectOf, type Statement } from './reading.ts'
import { queryRows } from './row-security.ts'

/**
 * The columns by which a list is ordered, by their names in its statement, all in one direction. Together they are unique and never null, and they
 * keep their value: a row has one place for ever, and a page begins behind a place however much is added before it.
 */
export interface ListOrder {
  columns: readonly { name: string; type: 'timestamptz' | 'uuid' | 'bigint' | 'numeric' | 'text' }[]
  direction: 'asc' | 'desc'
}

/** By a column that is never null, and by the id where two rows have the same in it. */
export const orderedBy = (
  name: string,
  type: ListOrder['columns'][number]['type'],
  direction: ListOrder['direction'],
): ListOrder => ({
  columns: [
    { name, type },
    { name: 'id', type: 'uuid' },
  ],
  direction,
})

/** By an instant, newest first; the id decides between rows of the same microsecond. */
export const newestFirst = (instant: string): ListOrder => orderedBy(instant, 'timestamptz', 'desc')

/**
 * How many rows there are. Counting is a walk over an index, so it stops at {@link MAX_COUNTED}: from there on
 * `total` is what was counted and not exact.
 */
interface Extent {
  total: number
  totalIsExact: boolean
}

/** Beyond this many rows a list only says that there are more. */
export const MAX_COUNTED = 10_000

/** Behind which row a page begins, and what was known of the list when the walk through it began. */
export interface Place extends Extent {
  /** Values of the order's columns: instants as microseconds since 1970, the others as their text. */
  key: readonly string[]
  /** Rows that come before. */
  offset: number
}

/** Which part of a list is wanted. */
export interface Page {
  limit: number
  /** Rows to pass over; 0 together with `after`. */
  offset: number
  /** No cursor for a page that is found by its offset. */
  after?: Place | null
}

/** A part of a list, and how long the whole is. */
export interface Slice<T> extends Extent {
  items: T[]
  /** Rows before the first of these. */
  offset: number
  /** Where the next page begins; null at the end of the list. */
  next: Place | null
}

/** A list that is known to be empty. */
export const emptySlice = <T>(): Slice<T> => ({
  items: [],
  total: 0,
  totalIsExact: true,
  offset: 0,
  next: null,
})

/**
 * A page of the rows of a statement, in one statement: the page, one row more to see whether it goes on, and the
 * count, which a page behind a place takes over instead of repeating it.
 */
export async function sliceOfRows<Row extends object>(
  em: EntityManager,
  list: Statement,
  order: ListOrder,
  { limit, offset, after }: Page,
): Promise<Slice<Row>> {
  const names = order.columns.map(({ name }) => columnOf(name))
  const behind = after ? placeCondition(order, names, after) : { sql: '', parameters: [] }
  const counted = after ? { sql: '', parameters: [] } : countOf(list)
  const rows = await queryRows<Row & { list_key: string; list_total?: number }>(
    em,
    `select l.*, ${keyOf(order)} as list_key${counted.sql && `, (${counted.sql}) as list_total`}
     from (${list.sql}) l ${behind.sql}
     order by ${names.map((name) => `${name} ${order.direction}`).join(', ')} limit ? offset ?`,
    [...counted.parameters, ...list.parameters, ...behind.parameters, limit + 1, offset],
  )
  const extent = after ?? extentOf(rows[0]?.list_total ?? (offset === 0 ? 0 : await count(em, list)))
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const start = after?.offset ?? offset
  const { total, totalIsExact } = extent
  const next =
    last && rows.length > limit
      ? { key: last.list_key.split(' '), offset: start + items.length, total, totalIsExact }
      : null
  return { items: items.map(withoutListColumns), total, totalIsExact, offset: start, next }
}

/**
 * A page of entities, as {@link sliceOfRows} finds it: read afresh, whatever this view of the database has
 * seen before.
 */
export async function sliceOf<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<Entity>,
  order: ListOrder,
  page: Page,
): Promise<Slice<Entity>> {
  const list = selectOf(em, entity, where)
  const slice = await sliceOfRows<Record<string, unknown>>(em, list, order, page)
  return { ...slice, items: slice.items.map(readerOf(em, entity)) }
}

const countOf = ({ sql, parameters }: Statement): Statement => ({
  sql: `select count(*)::int from (select from (${sql}) w limit ?) c`,
  parameters: [...parameters, MAX_COUNTED + 1],
})

async function count(em: EntityManager, list: Statement): Promise<number> {
  const { sql, parameters } = countOf(list)
  const [row] = await queryRows<{ count: number }>(em, sql, parameters)
  return row!.count
}

const extentOf = (counted: number): Extent => ({
  total: Math.min(counted, MAX_COUNTED),
  totalIsExact: counted <= MAX_COUNTED,
})

/** One comparison of rows, which an index in the order of the list answers by beginning there. */
function placeCondition(order: ListOrder, names: readonly string[], { key }: Place): Statement {
  const values = order.columns.map(({ type }) => `?::${type}`)
  const comparison = order.direction === 'desc' ? '<' : '>'
  return {
    sql: `where (${names.join(', ')}) ${comparison} (${values.join(', ')})`,
    parameters: order.columns.map(({ type }, index) =>
      type === 'timestamptz' ? instantOfMicroseconds(key[index]!) : key[index],
    ),
  }
}

const columnOf = (name: string): string => `l."${name}"`

/** The place of a row in one text. PostgreSQL's instants are finer than those of JavaScript. */
const keyOf = ({ columns }: ListOrder): string =>
  `concat_ws(' ', ${columns
    .map(({ name, type }) =>
      type === 'timestamptz' ? `(extract(epoch from ${columnOf(name)}) * 1000000)::bigint` : columnOf(name),
    )
    .join(', ')})`

/** "2026-03-02T15:00:00.123456Z" */
function instantOfMicroseconds(text: string): string {
  const microseconds = BigInt(text)
  const fine = String(microseconds % 1_000n).padStart(3, '0')
  return new Date(Number(microseconds / 1_000n)).toISOString().replace('Z', `${fine}Z`)
}

function withoutListColumns<Row extends object>(row: Row & { list_key: string; list_total?: number }): Row {
  const { list_key: _key, list_total: _total, ...own } = row
  return own as unknown as Row
}
