import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { Execution, Fill } from '#domain/order/fill.ts'
import {
  type AttributedFill,
  keysIn,
  tradesOf,
  type Checkpoint,
  type RoundTrip,
} from '#domain/position/round-trips.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { FILLED_THROUGH, ORIGIN, orderOf, originOf, type OriginRow } from './execution-attribution.ts'
import { derivedId } from '../engine/query.ts'

export interface FillAccount {
  accountId: string
  userId: string
}

export interface ChangedFill {
  symbol: string
  /** UTC instant with microseconds. */
  at: string
}

/** SQL: UTC instant with microseconds. */
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

/** Executions `x` under all ids of order `o` get its present id, to make one trade. */
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

/** Unordered fills; `from` and `to` are SQL expressions. */
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

interface SymbolSince {
  symbol: string
  since: string
}

/** isCheckpoint: the fill stores the open shares. */
interface KeptFill {
  fill: AttributedFill
  isCheckpoint: boolean
}

async function fillsSince(
  em: EntityManager,
  accountId: string,
  symbols: readonly SymbolSince[],
): Promise<Map<string, KeptFill[]>> {
  const rows = await em.execute<
    (FillRow & OriginRow & { is_checkpoint: boolean; filled_through: Decimal })[]
  >(
    // By symbol: a plain join would read all fills.
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

const SYMBOLS_SINCE = 'jsonb_to_recordset(?::jsonb) as begun (symbol text, since timestamptz)'

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

/** Attaches fills listed up to a day before their order; returns them. */
export async function attachOrders(em: EntityManager, accountId: string): Promise<ChangedFill[]> {
  // Neither half reads old fills of an account with many foreign orders.
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

const TRADE_NAMESPACE = Buffer.from('b54f3d2e91c84f0a8f1e6a7d40c2957b', 'hex')

/** Rebuilds trades from the last checkpoint before the change. Requires the account's lock. */
export async function keepTrades(
  em: EntityManager,
  account: FillAccount,
  changed: readonly ChangedFill[],
): Promise<void> {
  if (changed.length === 0) return
  const { accountId } = account
  const begun = await beginningsOf(em, accountId, changed)
  const fills = await fillsSince(em, accountId, begun)
  const kept = begun.map((begin) => keptOf(accountId, begin, fills.get(begin.symbol) ?? []))
  await keepCheckpoints(em, accountId, kept)
  await removeOthers(em, accountId, kept)
  await writeTrades(
    em,
    account,
    kept.flatMap(({ rows }) => rows),
  )
  await em.execute(
    `update accounts set updated_at = now(), realised_pnl = total.realised_pnl
     from (select coalesce(sum(realised_pnl), 0) as realised_pnl from trades where account_id = ?) total
     where id = ? and accounts.realised_pnl <> round(total.realised_pnl, 4)`,
    [accountId, accountId],
  )
}

interface Beginning extends SymbolSince {
  /** Open shares there; null: from the first fill. */
  checkpoint: Checkpoint | null
}

async function beginningsOf(
  em: EntityManager,
  accountId: string,
  changed: readonly ChangedFill[],
): Promise<Beginning[]> {
  const first = new Map<string, string>()
  for (const { symbol, at } of changed) if (at < (first.get(symbol) ?? 'later')) first.set(symbol, at)
  const symbols = [...first].map(([symbol, since]) => ({ symbol, since }))
  return em.execute<Beginning[]>(
    `select begun.symbol, coalesce(c.at::text, '-infinity') as since, c.checkpoint
     from ${SYMBOLS_SINCE} left join lateral (
       select f.at, f.checkpoint from fills f
       where f.account_id = ? and f.symbol = begun.symbol and f.checkpoint is not null and f.at < begun.since
       order by f.at desc limit 1) c on true`,
    [toStorableJson(symbols), accountId],
  )
}

interface Kept extends SymbolSince {
  rows: TradeRow[]
  /** By execution id; null: invalid now. */
  checkpoints: ReadonlyMap<string, Checkpoint | null>
  changing: string[]
}

function keptOf(
  accountId: string,
  { symbol, since, checkpoint }: Beginning,
  fills: readonly KeptFill[],
): Kept {
  const idOf = (key: string): string => derivedId(TRADE_NAMESPACE, `${accountId} ${symbol} ${key}`)
  const { trips, checkpoints } = tradesOf(
    fills.map(({ fill }) => fill),
    checkpoint ?? undefined,
  )
  const earlier = fills.filter(({ isCheckpoint }) => isCheckpoint)
  return {
    symbol,
    since,
    rows: trips.map(({ key, ...trip }): TradeRow => ({ ...trip, id: idOf(key) })),
    checkpoints: new Map([...earlier.map(({ fill }) => [fill.executionId, null] as const), ...checkpoints]),
    changing: keysIn(checkpoint ?? undefined).map(idOf),
  }
}

async function keepCheckpoints(em: EntityManager, accountId: string, kept: readonly Kept[]): Promise<void> {
  const checkpoints = kept.flatMap((each) => [...each.checkpoints])
  if (checkpoints.length === 0) return
  await em.execute(
    `update fills f set checkpoint = nullif(c.checkpoint, 'null')
     from jsonb_each(?::jsonb) as c (execution_id, checkpoint)
     where f.account_id = ? and f.execution_id = c.execution_id
       and f.checkpoint is distinct from nullif(c.checkpoint, 'null')`,
    [toStorableJson(Object.fromEntries(checkpoints)), accountId],
  )
}

const sinceOf = (kept: readonly SymbolSince[]): string =>
  toStorableJson(kept.map(({ symbol, since }) => ({ symbol, since })))

interface TradeRow extends Omit<RoundTrip, 'key' | 'entryValue' | 'exitValue'> {
  id: string
}

async function removeOthers(em: EntityManager, accountId: string, kept: readonly Kept[]): Promise<void> {
  const listed = 'select jsonb_array_elements_text(?::jsonb)::uuid as id'
  await em.execute(
    // Materialized: otherwise each trade would compute the candidates.
    `with others as materialized (
       select t.id from ${SYMBOLS_SINCE} cross join lateral (
         select id from trades
         where account_id = ? and symbol = begun.symbol and (entry_at > begun.since or exit_at > begun.since) offset 0) t
       union ${listed} except ${listed})
     delete from trades using others where trades.account_id = ? and trades.id = others.id`,
    [
      sinceOf(kept),
      accountId,
      toStorableJson(kept.flatMap(({ changing }) => changing)),
      toStorableJson(kept.flatMap(({ rows }) => rows.map(({ id }) => id))),
      accountId,
    ],
  )
}

const TRADE_COLUMNS = [
  'side',
  'status',
  'quantity',
  'entry_price',
  'exit_price',
  'entry_at',
  'exit_at',
  'realised_pnl',
  'realised_pnl_percent',
  'fees',
  'exit_fees',
  'strategy_id',
  'signal_id',
  'entry_order_ids',
  'exit_order_ids',
]

/** Only our orders are named; unchanged trades are not written. */
async function writeTrades(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  rows: readonly TradeRow[],
): Promise<void> {
  if (rows.length === 0) return
  const orderNamed = (name: string) => `left join orders ${name} on ${name}.account_id = ?
       and ${name}.broker_order_id = x."${name}Order"`
  await em.execute(
    `insert into trades (id, user_id, account_id, symbol, ${TRADE_COLUMNS.join(', ')})
     select x.id, ?, ?, x.symbol, x.side, x.status, x.quantity, x."entryPrice", x."exitPrice", x."entryAt", x."exitAt",
       x."realisedPnl", x."realisedPnlPercent", x.fees, x."exitFees", s.strategy_id, s.id,
       array_remove(array["entry".id], null), array_remove(array["exit".id], null)
     from jsonb_to_recordset(?::jsonb) as x (id uuid, symbol text, side text, status text, quantity numeric,
       "entryPrice" numeric, "exitPrice" numeric, "entryAt" timestamptz, "exitAt" timestamptz, "realisedPnl" numeric,
       "realisedPnlPercent" numeric, fees numeric, "exitFees" numeric, owner uuid, "entryOrder" text, "exitOrder" text)
     ${orderNamed('entry')} ${orderNamed('exit')}
     left join signals s on s.id = x.owner
     on conflict (id) do update set updated_at = now(), ${TRADE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}
     where (${TRADE_COLUMNS.map((name) => `trades.${name}`).join(', ')})
       is distinct from (${TRADE_COLUMNS.map((name) => `excluded.${name}`).join(', ')})`,
    [userId, accountId, toStorableJson(rows), accountId, accountId],
  )
}
