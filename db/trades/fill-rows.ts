import { decimal, type Decimal } from '#domain/decimal.ts'
import type { Execution, Fill } from '#domain/fill.ts'
import type { AttributedFill } from '#domain/round-trips.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { FILLED_THROUGH, ORIGIN, orderOf, originOf, type OriginRow } from '../orders/share-origin.ts'

export interface FillAccount {
  accountId: string
  userId: string
}

export interface ChangedFill {
  symbol: string
  /** UTC instant with microseconds. */
  at: string
}

/** SQL: UTC instant with microseconds, finer than JavaScript's. */
export const fineInstantSql = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

interface FillRow {
  execution_id: string
  broker_order_id: string | null
  symbol: string
  side: Fill['side']
  quantity: Decimal
  price: Decimal
  fees: Decimal
  at: string
  order_filled: Decimal
}

/** Executions `x` under all ids of our order `o` get its present id, so that they make one trade. */
const FILL_COLUMNS = `x.execution_id, coalesce(o.broker_order_id, x.broker_order_id) as broker_order_id, x.symbol, x.side,
  x.quantity::text, x.price::text, x.fees::text, x.order_filled::text, ${fineInstantSql('x.at')} as at`

const presentFill = (row: FillRow): Fill => ({
  executionId: row.execution_id,
  brokerOrderId: row.broker_order_id,
  symbol: row.symbol,
  side: row.side,
  quantity: decimal(row.quantity),
  price: decimal(row.price),
  fees: decimal(row.fees),
  at: row.at,
  orderFilled: decimal(row.order_filled),
})

/** `from` and `to` are SQL expressions; in no order. */
export async function fillsBetween(
  em: EntityManager,
  accountId: string,
  [from, to]: readonly [string, string],
  parameters: readonly unknown[],
): Promise<Fill[]> {
  const rows = await em.execute<FillRow[]>(
    `select ${FILL_COLUMNS} from fills x ${orderOf('x.account_id')}
     where x.account_id = ? and x.at >= ${from} and x.at < ${to}`,
    [accountId, ...parameters],
  )
  return rows.map(presentFill)
}

export interface SymbolSince {
  symbol: string
  since: string
}

/** isCheckpoint: the open shares after it are stored with it. */
export interface KeptFill {
  fill: AttributedFill
  isCheckpoint: boolean
}

export async function fillsSince(
  em: EntityManager,
  accountId: string,
  symbols: readonly SymbolSince[],
): Promise<Map<string, KeptFill[]>> {
  const rows = await em.execute<
    (FillRow & OriginRow & { is_checkpoint: boolean; filled_through: Decimal })[]
  >(
    // By symbol: a plain join would read all fills of the account.
    `select g.* from ${SYMBOLS_SINCE} cross join lateral (
       select ${FILL_COLUMNS}, x.checkpoint is not null as is_checkpoint, ${ORIGIN}, ${FILLED_THROUGH} as filled_through
       from fills x ${orderOf('x.account_id')}
       where x.account_id = ? and x.symbol = begun.symbol and x.at > begun.since offset 0) g`,
    [toStorableJson(symbols), accountId],
  )
  const fills = rows.map((row): KeptFill => {
    const fill = { ...presentFill(row), orderFilled: decimal(row.filled_through), origin: originOf(row) }
    return { fill, isCheckpoint: row.is_checkpoint }
  })
  return Map.groupBy(fills, ({ fill }) => fill.symbol)
}

export const SYMBOLS_SINCE = 'jsonb_to_recordset(?::jsonb) as begun (symbol text, since timestamptz)'

export async function insertFills(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  fills: readonly Execution[],
): Promise<(ChangedFill & { executionId: string })[]> {
  if (fills.length === 0) return []
  return em.execute(
    `insert into fills (account_id, user_id, execution_id, broker_order_id, order_id, symbol, side, quantity, price,
       at, order_filled)
     select ?, ?, x."executionId", x."brokerOrderId", b.order_id, x.symbol, x.side, x.quantity, x.price, x.at, x."orderFilled"
     from jsonb_to_recordset(?::jsonb) as x ("executionId" text, "brokerOrderId" text, symbol text, side text,
       quantity numeric, price numeric, at timestamptz, "orderFilled" numeric)
     left join order_broker_ids b on b.account_id = ? and b.broker_order_id = x."brokerOrderId"
     -- What the broker has taken back may be on a list that is older.
     where not exists (
       select from fill_amendments a where a.account_id = ? and a.execution_id = x."executionId")
     on conflict do nothing returning execution_id as "executionId", symbol, ${fineInstantSql('at')} as at`,
    [accountId, userId, toStorableJson(fills), accountId, accountId],
  )
}

/** A fill may be listed before its order is recorded, within a day. Returns the fills that found their orders. */
export async function attachOrders(em: EntityManager, accountId: string): Promise<ChangedFill[]> {
  // Neither half reads the old fills of an account with many orders from elsewhere.
  const found = 'select n.account_id, n.execution_id, b.order_id from fills n'
  return em.execute(
    `update fills f set order_id = found.order_id from (
       ${found} join order_broker_ids b using (account_id, broker_order_id)
       where n.account_id = ? and n.order_id is null and n.recorded_at > now() - interval '1 day'
       union
       ${found} join order_broker_ids b using (account_id, broker_order_id)
       where b.account_id = ? and n.order_id is null and b.since > now() - interval '1 day') found
     where f.account_id = found.account_id and f.execution_id = found.execution_id
     returning f.symbol, ${fineInstantSql('f.at')} as at`,
    [accountId, accountId],
  )
}
