import { decimal, type Decimal } from '#domain/decimal.ts'
import { feesOfDay } from '#domain/fill-fees.ts'
import type { Fee } from '#domain/fill.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { exchangeDaySql, exchangeMidnightSql } from '../engine/day-starts.ts'
import { fillsBetween, fineInstantSql, type ChangedFill, type FillAccount } from './fill-rows.ts'

/** Also fees that came before their fills (`added`). Returns fills with changed fees. */
export async function chargeFees(
  em: EntityManager,
  account: FillAccount,
  fees: readonly Fee[],
  added: readonly { executionId: string }[],
): Promise<ChangedFill[]> {
  const stored = await storeFees(em, account, fees)
  const days = await daysOf(em, account.accountId, stored, added)
  const changed: ChangedFill[] = []
  for (const day of days) changed.push(...(await chargeDay(em, account.accountId, day)))
  return changed
}

async function storeFees(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  fees: readonly Fee[],
): Promise<string[]> {
  if (fees.length === 0) return []
  const last = new Map(fees.map((fee) => [fee.feeId, fee]))
  const rows = await em.execute<{ fee_id: string }[]>(
    `insert into fees (account_id, user_id, fee_id, execution_id, day, amount, kind)
     select ?, ?, x."feeId", x."executionId", x.day, x.amount, x.kind
     from jsonb_to_recordset(?::jsonb) as x ("feeId" text, "executionId" text, day date, amount numeric, kind text)
     on conflict (account_id, fee_id) do update set amount = excluded.amount where fees.amount <> excluded.amount
     returning fee_id`,
    [accountId, userId, toStorableJson([...last.values()])],
  )
  return rows.map((row) => row.fee_id)
}

async function daysOf(
  em: EntityManager,
  accountId: string,
  feeIds: readonly string[],
  added: readonly { executionId: string }[],
): Promise<string[]> {
  if (feeIds.length === 0 && added.length === 0) return []
  const ofFill = exchangeDaySql('f.at')
  const rows = await em.execute<{ day: string }[]>(
    `select coalesce(${ofFill}, x.day)::text as day
     from fees x left join fills f on f.account_id = x.account_id and f.execution_id = x.execution_id
     where x.account_id = ? and x.fee_id in (select jsonb_array_elements_text(?::jsonb))
     union
     select ${ofFill}::text from fills f
     where f.account_id = ? and f.execution_id in (select jsonb_array_elements_text(?::jsonb)) and exists (
       select from fees x where x.account_id = f.account_id
         and (x.day = ${ofFill} or x.execution_id = f.execution_id))`,
    [
      accountId,
      toStorableJson(feeIds),
      accountId,
      toStorableJson(added.map(({ executionId }) => executionId)),
    ],
  )
  return rows.map(({ day }) => day)
}

async function chargeDay(em: EntityManager, accountId: string, day: string): Promise<ChangedFill[]> {
  const bounds = [exchangeMidnightSql('?::date'), exchangeMidnightSql('?::date + 1')] as const
  const fills = await fillsBetween(em, accountId, bounds, [day, day])
  const rows = await em.execute<
    { fee_id: string; execution_id: string | null; amount: Decimal; kind: Fee['kind'] }[]
  >(
    `select fee_id, execution_id, amount::text, kind from fees
     where account_id = ? and (execution_id is null and day = ? or execution_id in (
       select f.execution_id from fills f where f.account_id = ? and f.at >= ${bounds[0]} and f.at < ${bounds[1]}))
     order by fee_id`,
    [accountId, day, accountId, day, day],
  )
  const fees = rows.map((row) => ({
    feeId: row.fee_id,
    executionId: row.execution_id,
    day,
    amount: decimal(row.amount),
    kind: row.kind,
  }))
  const charged = [...feesOfDay(fills, fees)].map(([executionId, amount]) => ({ executionId, amount }))
  return em.execute(
    `update fills f set fees = x.amount
     from jsonb_to_recordset(?::jsonb) as x ("executionId" text, amount numeric)
     where f.account_id = ? and f.execution_id = x."executionId" and f.fees <> x.amount
     returning f.symbol, ${fineInstantSql('f.at')} as at`,
    [toStorableJson(charged), accountId],
  )
}
