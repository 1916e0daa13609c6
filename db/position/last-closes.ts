import type { Decimal } from '#domain/money/decimal.ts'
import { toStorableJson } from '../engine/json.ts'
import { exchangeDaySql, SESSION_HAS_BEGUN, TODAY_SQL } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'

/** Symbols held overnight and sold before a sync; none before the session begins. */
export async function symbolsWithoutClose(em: EntityManager, accountId: string): Promise<string[]> {
  const rows = await em.execute<{ symbol: string }[]>(
    `select distinct t.symbol from trades t
     join account_day_starts day on day.account_id = t.account_id and day.day = ${exchangeDaySql('now()')}
     where t.account_id = ? and t.status = 'CLOSED' and t.exit_at >= ${TODAY_SQL} and t.entry_at < ${TODAY_SQL}
       and (day.closes -> t.symbol) is null and ${SESSION_HAS_BEGUN}`,
    [accountId],
  )
  return rows.map(({ symbol }) => symbol)
}

/** Null: unavailable, and not requested again. */
export async function noteLastCloses(
  em: EntityManager,
  accountId: string,
  closes: Readonly<Record<string, Decimal | null>>,
): Promise<void> {
  await em.execute(
    `update account_day_starts set closes = ?::jsonb || closes
     where account_id = ? and day = ${exchangeDaySql('now()')}`,
    [toStorableJson(closes), accountId],
  )
}
