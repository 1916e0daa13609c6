import { tradesOf, type RoundTrip } from '#domain/round-trips.ts'
import type { EntityManager } from './database.ts'
import { derivedId } from './derived-id.ts'
import { readFills, type ChangedFill, type FillAccount } from './fill-rows.ts'

/** Namespace of the ids of trades; generated once. */
const NAMESPACE = Buffer.from('b54f3d2e91c84f0a8f1e6a7d40c2957b', 'hex')

/**
 * Works out again the trades of the symbols in which fills have changed, since nothing was last held in each, and
 * with them what the account has realised. Inside a transaction that holds the account's row.
 */
export async function keepTrades(
  em: EntityManager,
  account: FillAccount,
  changed: readonly ChangedFill[],
): Promise<void> {
  const since = new Map<string, string>()
  for (const { symbol, at } of changed) if (at < (since.get(symbol) ?? 'later')) since.set(symbol, at)
  for (const [symbol, at] of since) await keepSymbol(em, account, symbol, at)
  if (since.size === 0) return
  await em.execute(
    `update accounts set updated_at = now(), realised_pnl = total.realised_pnl
     from (select coalesce(sum(realised_pnl), 0) as realised_pnl from trades where account_id = ?) total
     where id = ? and accounts.realised_pnl <> round(total.realised_pnl, 4)`,
    [account.accountId, account.accountId],
    'run',
  )
}

async function keepSymbol(
  em: EntityManager,
  account: FillAccount,
  symbol: string,
  changedAt: string,
): Promise<void> {
  const { accountId } = account
  const [{ flat_at: flatAt } = { flat_at: null }] = await em.execute<{ flat_at: string | null }[]>(
    `select max(at)::text as flat_at from fills
     where account_id = ? and symbol = ? and flat_after and at < ?::timestamptz`,
    [accountId, symbol, changedAt],
  )
  const since = flatAt ?? '-infinity'
  const fills = await readFills(em, accountId, 'f.symbol = ? and f.at > ?::timestamptz', [symbol, since])
  const { trips, flatAfter } = tradesOf(fills)
  await em.execute(
    `update fills set flat_after = not flat_after
     where account_id = ? and symbol = ? and at > ?::timestamptz
       and flat_after <> (execution_id in (select jsonb_array_elements_text(?::jsonb)))`,
    [accountId, symbol, since, JSON.stringify([...flatAfter])],
    'run',
  )
  const rows = trips.map((trip) => tradeRow(accountId, trip))
  await removeOthers(em, accountId, symbol, since, rows)
  await writeTrades(em, account, rows)
}

interface TradeRow extends Omit<RoundTrip, 'key' | 'entryValue' | 'exitValue'> {
  id: string
}

const tradeRow = (accountId: string, { key, ...trip }: RoundTrip): TradeRow => ({
  ...trip,
  id: derivedId(NAMESPACE, `${accountId} ${trip.symbol} ${key}`),
})

/** Trades that the fills no longer add up to, since a fill came late. */
async function removeOthers(
  em: EntityManager,
  accountId: string,
  symbol: string,
  since: string,
  rows: readonly TradeRow[],
): Promise<void> {
  await em.execute(
    `delete from trades where account_id = ? and symbol = ? and entry_at > ?::timestamptz
       and id not in (select jsonb_array_elements_text(?::jsonb)::uuid)`,
    [accountId, symbol, since, JSON.stringify(rows.map(({ id }) => id))],
    'run',
  )
}

/** Columns that change with the fills, in the order in which they are selected. */
const COLUMNS = [
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
  'strategy_id',
  'signal_id',
  'entry_order_ids',
  'exit_order_ids',
]

/** Signal and strategy are those of the entry; only orders of ours are named. What is as it was is not written. */
async function writeTrades(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  rows: readonly TradeRow[],
): Promise<void> {
  if (rows.length === 0) return
  const orderNamed = (name: string) => `left join orders ${name} on ${name}.account_id = ?
       and ${name}.broker_order_id = x."${name}Order"`
  await em.execute(
    `insert into trades (id, user_id, account_id, symbol, ${COLUMNS.join(', ')})
     select x.id, ?, ?, x.symbol, x.side, x.status, x.quantity, x."entryPrice", x."exitPrice", x."entryAt", x."exitAt",
       x."realisedPnl", x."realisedPnlPercent", x.fees, s.strategy_id, "entry".signal_id,
       array_remove(array["entry".id], null), array_remove(array["exit".id], null)
     from jsonb_to_recordset(?::jsonb) as x (id uuid, symbol text, side text, status text, quantity numeric,
       "entryPrice" numeric, "exitPrice" numeric, "entryAt" timestamptz, "exitAt" timestamptz, "realisedPnl" numeric,
       "realisedPnlPercent" numeric, fees numeric, "entryOrder" text, "exitOrder" text)
     ${orderNamed('entry')} ${orderNamed('exit')}
     left join signals s on s.id = "entry".signal_id
     on conflict (id) do update set updated_at = now(), ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}
     where (${COLUMNS.map((name) => `trades.${name}`).join(', ')})
       is distinct from (${COLUMNS.map((name) => `excluded.${name}`).join(', ')})`,
    [userId, accountId, JSON.stringify(rows), accountId, accountId],
    'run',
  )
}
