import { keysIn, tradesOf, type Checkpoint, type RoundTrip } from '#domain/round-trips.ts'
import type { EntityManager } from '../engine/database.ts'
import { derivedId } from '../engine/derived-id.ts'
import { readFills, type ChangedFill, type FillAccount } from './fill-rows.ts'

/** Namespace of the ids of trades; generated once. */
const NAMESPACE = Buffer.from('b54f3d2e91c84f0a8f1e6a7d40c2957b', 'hex')

/**
 * Works out again the trades of the symbols in which fills have changed, from the last checkpoint before that, and
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
  const [begin] = await em.execute<{ at: string; checkpoint: Checkpoint }[]>(
    `select at::text, checkpoint from fills
     where account_id = ? and symbol = ? and checkpoint is not null and at < ?::timestamptz order by at desc limit 1`,
    [accountId, symbol, changedAt],
  )
  const since = begin?.at ?? '-infinity'
  const fills = await readFills(em, accountId, 'f.symbol = ? and f.at > ?::timestamptz', [symbol, since])
  const { trips, checkpoints } = tradesOf(fills, begin?.checkpoint)
  await keepCheckpoints(em, accountId, symbol, since, checkpoints)
  const idOf = (key: string): string => derivedId(NAMESPACE, `${accountId} ${symbol} ${key}`)
  const rows = trips.map(({ key, ...trip }): TradeRow => ({ ...trip, id: idOf(key) }))
  await removeOthers(em, account, { symbol, since, changing: keysIn(begin?.checkpoint).map(idOf) }, rows)
  await writeTrades(em, account, rows)
}

async function keepCheckpoints(
  em: EntityManager,
  accountId: string,
  symbol: string,
  since: string,
  checkpoints: ReadonlyMap<string, Checkpoint>,
): Promise<void> {
  await em.execute(
    `update fills f set checkpoint = x.checkpoint
     from fills g left join jsonb_each(?::jsonb) as x (execution_id, checkpoint) using (execution_id)
     where g.account_id = ? and g.symbol = ? and g.at > ?::timestamptz
       and g.checkpoint is distinct from x.checkpoint
       and f.account_id = g.account_id and f.execution_id = g.execution_id`,
    [JSON.stringify(Object.fromEntries(checkpoints)), accountId, symbol, since],
    'run',
  )
}

interface TradeRow extends Omit<RoundTrip, 'key' | 'entryValue' | 'exitValue'> {
  id: string
}

/**
 * Trades of a symbol that its fills no longer add up to, since one came late: of those that may have changed, the ones
 * that are not among the rows.
 *
 * @param changing ids of trades from before that later fills go on with
 */
async function removeOthers(
  em: EntityManager,
  { accountId }: FillAccount,
  { symbol, since, changing }: { symbol: string; since: string; changing: readonly string[] },
  rows: readonly TradeRow[],
): Promise<void> {
  const listed = 'select jsonb_array_elements_text(?::jsonb)::uuid'
  await em.execute(
    `delete from trades where account_id = ? and symbol = ?
       and (entry_at > ?::timestamptz or exit_at > ?::timestamptz or id in (${listed})) and id not in (${listed})`,
    [accountId, symbol, since, since, JSON.stringify(changing), JSON.stringify(rows.map(({ id }) => id))],
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

/** Signal and strategy are those of the entry; only orders of ours are named. Unchanged trades are not written. */
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
