import type { EntityName, FilterQuery } from '@mikro-orm/postgresql'
import type { EntityManager } from './database.ts'
import { readerOf, selectOf, type Statement } from './reading.ts'
import { queryRows } from './row-security.ts'

/** Columns unique together, never null or changed: a page begins after a row. */
export interface ListOrder {
  columns: readonly { name: string; type: 'timestamptz' | 'uuid' | 'bigint' | 'numeric' | 'text' }[]
  direction: 'asc' | 'desc'
}

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

export const newestFirst = (instant: string): ListOrder => orderedBy(instant, 'timestamptz', 'desc')

interface Extent {
  total: number
  totalIsExact: boolean
}

export const MAX_COUNTED = 10_000

export interface Place extends Extent {
  /** Instants as microseconds since 1970, others as text. */
  key: readonly string[]
  offset: number
}

export interface Page {
  limit: number
  /** 0 with `after`. */
  offset: number
  after?: Place | null
}

export interface Slice<T> extends Extent {
  items: T[]
  offset: number
  next: Place | null
}

export const emptySlice = <T>(): Slice<T> => ({
  items: [],
  total: 0,
  totalIsExact: true,
  offset: 0,
  next: null,
})

/** A single statement reads page, next row and count. */
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

/** A row comparison uses the list's index. */
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

/** PostgreSQL's instants are finer than JavaScript's. */
const keyOf = ({ columns }: ListOrder): string =>
  `concat_ws(' ', ${columns
    .map(({ name, type }) =>
      type === 'timestamptz' ? `(extract(epoch from ${columnOf(name)}) * 1000000)::bigint` : columnOf(name),
    )
    .join(', ')})`

function instantOfMicroseconds(text: string): string {
  const microseconds = BigInt(text)
  const fine = String(microseconds % 1_000n).padStart(3, '0')
  return new Date(Number(microseconds / 1_000n)).toISOString().replace('Z', `${fine}Z`)
}

function withoutListColumns<Row extends object>(row: Row & { list_key: string; list_total?: number }): Row {
  const { list_key: _key, list_total: _total, ...own } = row
  return own as unknown as Row
}
