import { randomUUID } from 'node:crypto'
import type { AccountPermissions } from '#domain/risk/permissions.ts'
import { add, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { HeldPosition } from '#domain/position/symbol-state.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { RECORD_DAY_START } from '../engine/day-starts.ts'
import { RECORD_EQUITY_POINT } from './equity-points.ts'
import type { StoredInstant } from '../engine/query.ts'
import { noteEquityReading } from './equity.ts'

export interface AccountConnection {
  accountId: string
  userId: string
  brokerId: string
  brokerType: string
  baseUrl: string
  isActive: boolean
  sealedCredentials: string | null
}

const CONNECTIONS = `
  select a.id as "accountId", a.user_id as "userId", b.id as "brokerId", b.broker_type as "brokerType",
    b.base_url as "baseUrl", a.is_active as "isActive", b.sealed_credentials as "sealedCredentials"
  from accounts a join broker_connections b on b.id = a.broker_id`

export async function findAccountConnection(
  em: EntityManager,
  accountId: string,
): Promise<AccountConnection | null> {
  const [found] = await em.execute<AccountConnection[]>(`${CONNECTIONS} where a.id = ?`, [accountId])
  return found ?? null
}

export const listOwnConnections = (em: EntityManager, userId: string): Promise<AccountConnection[]> =>
  em.execute(`${CONNECTIONS} where a.user_id = ? and a.is_active order by a.created_at, a.id`, [userId])

export const listActiveConnections = (em: EntityManager): Promise<AccountConnection[]> =>
  em.execute(`${CONNECTIONS} where a.is_active order by a.created_at`)

export interface AccountSnapshot {
  type: 'MARGIN' | 'CASH' | 'IRA'
  currency: string
  equity: Decimal
  cashBalance: Decimal
  buyingPower: Decimal
  dayTradingBuyingPower: Decimal | null
  marketValue: Decimal
  permissions: AccountPermissions
  positions: readonly HeldPosition[]
}

/** `askedAt`: request by PostgreSQL's clock (UTC); later fills may be missing. */
export async function saveAccountSnapshot(
  em: EntityManager,
  account: { accountId: string; userId: string },
  snapshot: AccountSnapshot,
  askedAt: string | null = null,
): Promise<Date> {
  return em.transactional(async (inner) => {
    const [synced] = await inner.execute<{ at: StoredInstant }[]>(
      `update accounts set type = ?, currency = ?, equity = ?, cash_balance = ?, buying_power = ?,
         day_trading_buying_power = ?, market_value = ?, permissions = ?::jsonb,
         unrealised_pnl = ?, last_synced_at = coalesce(?::timestamptz, now()), updated_at = now()
       where id = ? returning last_synced_at as at`,
      [
        snapshot.type,
        snapshot.currency,
        snapshot.equity,
        snapshot.cashBalance,
        snapshot.buyingPower,
        snapshot.dayTradingBuyingPower,
        snapshot.marketValue,
        toStorableJson(snapshot.permissions),
        snapshot.positions.map((position) => position.unrealisedPnl).reduce(add, '0'),
        askedAt,
        account.accountId,
      ],
    )
    if (!synced) throw new Error(`there is no account ${account.accountId}`)
    const { doubted } = await noteEquityReading(inner, account.accountId, snapshot.equity)
    // No day begins with an implausible figure.
    if (doubted === null) {
      await inner.execute(RECORD_DAY_START, [lastCloses(snapshot), account.accountId])
      await inner.execute(RECORD_EQUITY_POINT, [account.accountId, account.accountId])
    }
    const held = snapshot.positions.map((position) => position.symbol)
    await inner.execute(
      `delete from positions where account_id = ? ${held.length > 0 ? `and symbol not in (${held.map(() => '?')})` : ''}`,
      [account.accountId, ...held],
    )
    if (held.length > 0) await inner.execute(WRITE_POSITIONS, positionsOf(account, snapshot))
    return new Date(synced.at)
  })
}

const lastCloses = ({ positions }: AccountSnapshot): string =>
  toStorableJson(
    Object.fromEntries(
      positions.flatMap(({ symbol, currentPrice, dayChange }) =>
        dayChange === null ? [] : [[symbol, subtract(currentPrice, dayChange)]],
      ),
    ),
  )

const POSITION_COLUMNS = [
  'side',
  'quantity',
  'avg_cost',
  'current_price',
  'market_value',
  'unrealised_pnl',
  'unrealised_pnl_percent',
  'day_change',
  'day_change_percent',
]

const WRITE_POSITIONS = `insert into positions (id, user_id, account_id, symbol, ${POSITION_COLUMNS.join(', ')})
  select x.id, ?, ?, x.symbol, x.side, x.quantity, x."avgCost", x."currentPrice", x."marketValue", x."unrealisedPnl",
    x."unrealisedPnlPercent", x."dayChange", x."dayChangePercent"
  from jsonb_to_recordset(?::jsonb) as x (id uuid, symbol text, side text, quantity numeric, "avgCost" numeric,
    "currentPrice" numeric, "marketValue" numeric, "unrealisedPnl" numeric, "unrealisedPnlPercent" numeric,
    "dayChange" numeric, "dayChangePercent" numeric)
  on conflict (account_id, symbol) do update set updated_at = now(),
    ${POSITION_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`

function positionsOf(
  { userId, accountId }: { accountId: string; userId: string },
  { positions }: AccountSnapshot,
): unknown[] {
  const rows = positions.map((position) => ({ ...position, id: randomUUID() }))
  return [userId, accountId, toStorableJson(rows)]
}
