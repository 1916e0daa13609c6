import { riskLimits, type RiskLimits, type RiskSettings } from '#domain/risk/limits.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

export async function findRiskSettings(
  em: EntityManager,
  userId: string,
  accountId: string,
): Promise<RiskSettings> {
  const [row] = await em.execute<{ limits: RiskSettings }[]>(
    'select limits from risk_settings where account_id = ? and user_id = ?',
    [accountId, userId],
  )
  return row?.limits ?? {}
}

export async function listRiskSettings(
  em: EntityManager,
  userId: string,
): Promise<{ accountId: string; set: RiskSettings }[]> {
  return em.execute(
    `select a.id as "accountId", coalesce(s.limits, '{}') as set
     from accounts a left join risk_settings s on s.account_id = a.id
     where a.user_id = ? order by a.is_primary desc, a.name, a.id`,
    [userId],
  )
}

/** Omitted limits have defaults. Null without such an account. */
export async function saveRiskSettings(
  em: EntityManager,
  userId: string,
  accountId: string,
  settings: RiskSettings,
): Promise<RiskLimits | null> {
  const rows = await em.execute<{ account_id: string }[]>(
    `insert into risk_settings (account_id, user_id, limits)
     select id, user_id, ?::jsonb from accounts where id = ? and user_id = ?
     on conflict (account_id) do update set limits = excluded.limits, updated_at = now()
     returning account_id`,
    [toStorableJson(settings), accountId, userId],
  )
  return rows.length === 1 ? riskLimits(settings) : null
}
