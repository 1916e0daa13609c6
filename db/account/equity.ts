import type { Decimal } from '#domain/money/decimal.ts'
import { noteEquity, type EquityRecord } from '#domain/risk/buying-power.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/query.ts'

/** Locks the account's row; returns the record believed now. */
export async function noteEquityReading(
  em: EntityManager,
  accountId: string,
  reading: Decimal,
): Promise<EquityRecord> {
  return em.transactional(async (inner) => {
    const [row] = await inner.execute<{ record: EquityRecord | null; now: StoredInstant }[]>(
      `select equity_record as record, clock_timestamp() as now from accounts where id = ? for update`,
      [accountId],
    )
    if (!row) throw new Error(`there is no account ${accountId}`)
    const record = noteEquity(row.record, reading, instantOf(row.now))
    await inner.execute(`update accounts set equity_record = ?::jsonb where id = ?`, [
      toStorableJson(record),
      accountId,
    ])
    return record
  })
}
