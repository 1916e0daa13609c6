import type { PositionDifference } from '#domain/alert/alert.ts'
import { compare, decimal, magnitude, subtract, type Decimal } from '#domain/money/decimal.ts'
import { positionDifferences } from './position-differences.ts'
import type { EntityManager } from '../engine/database.ts'
import { isAlertOpen, resolveAlert } from '../alert/alerts.ts'
import { fineInstantSql, insertFills, keepTrades } from './trade-keeping.ts'
import { unreadExecutions } from './fills.ts'

export interface AcceptedPosition extends PositionDifference {
  userId: string
}

/**
 * Accepts a position that no execution explains, as after a split: the difference becomes shares without owner at the
 * broker's cost. Requires the alert's figures; unreadable executions would count twice later.
 */
export async function acceptPosition(
  em: EntityManager,
  accountId: string,
  symbol: string,
): Promise<AcceptedPosition | 'unknown_account' | 'not_notified' | 'unreadable' | 'changed'> {
  return em.fork().transactional(async (inner) => {
    const account = await lockAccount(inner, accountId)
    if (!account) return 'unknown_account'
    const [told] = await inner.execute<{ shown: Decimal; executed: Decimal }[]>(
      `select data ->> 'shown' as shown, data ->> 'executed' as executed from alerts
       where kind = 'position_differs' and account_id = ? and symbol = ? and resolved_at is null`,
      [accountId, symbol],
    )
    if (!told) return 'not_notified'
    if (
      (await isAlertOpen(inner, { accountId, signalId: null }, 'comparison_failing')) ||
      (await unreadExecutions(inner, accountId)).length > 0
    )
      return 'unreadable'
    const found = (await positionDifferences(inner, accountId)).find((each) => each.symbol === symbol)
    if (
      !found ||
      compare(found.shown, decimal(told.shown)) !== 0 ||
      compare(found.executed, decimal(told.executed)) !== 0
    )
      return 'changed'
    await recordDifference(inner, accountId, symbol, subtract(found.shown, found.executed))
    await resolveAlert(inner, { accountId, signalId: null, symbol }, 'position_differs')
    return { userId: account.userId, ...found }
  })
}

/** SQL condition on fills: an accepted change of shares, no slight one. */
export const isAcceptedChange = (fill: string, held: string): string =>
  `(${fill}.execution_id like 'accepted-%' and (${fill}.quantity >= 1 or ${fill}.quantity * 10 >= ${held}))`

/** Below zero: shares are gone. In the caller's transaction. */
export async function recordDifference(
  inner: EntityManager,
  accountId: string,
  symbol: string,
  beyond: Decimal,
): Promise<void> {
  const account = await lockAccount(inner, accountId)
  if (!account) throw new Error(`there is no account ${accountId}`)
  const { userId, at } = account
  const quantity = magnitude(beyond)
  const added = await insertFills(inner, { accountId, userId }, [
    {
      executionId: `accepted-${symbol}-${at}`,
      brokerOrderId: null,
      symbol,
      side: compare(beyond, '0') > 0 ? 'BUY' : 'SELL',
      quantity,
      price: await priceOfDifference(inner, { accountId, symbol, beyond }),
      at,
      orderFilled: quantity,
    },
  ])
  await keepTrades(inner, { accountId, userId }, added)
}

/** Locks until the transaction ends; returns the instant of the lock. */
async function lockAccount(
  inner: EntityManager,
  accountId: string,
): Promise<{ userId: string; at: string } | null> {
  const [account] = await inner.execute<{ userId: string; at: string }[]>(
    `select user_id as "userId", ${fineInstantSql('clock_timestamp()')} as at from accounts where id = ?
     for no key update`,
    [accountId],
  )
  return account ?? null
}

/** Dollars a share: a split's shares cost nothing, a transfer's the broker's figure. */
async function priceOfDifference(
  em: EntityManager,
  { accountId, symbol, beyond }: { accountId: string; symbol: string; beyond: Decimal },
): Promise<Decimal> {
  const [row] = await em.execute<{ price: Decimal }[]>(
    `select greatest(0, round((coalesce(shown.cost, 0) - coalesce(executed.cost, 0)) / ?::numeric, 9))::text as price
     from
       (select sum(case side when 'LONG' then quantity else -quantity end * avg_cost) as cost
        from positions where account_id = ? and symbol = ?) shown,
       (select sum(case side when 'LONG' then quantity else -quantity end * entry_price) as cost
        from trades where account_id = ? and symbol = ? and status = 'OPEN') executed`,
    [beyond, accountId, symbol, accountId, symbol],
  )
  return decimal(row!.price)
}
