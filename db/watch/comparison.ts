import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

/** Executions since an instant, or the account's creation; null before the first reading. */
export async function knownExecutions(
  em: EntityManager,
  accountId: string,
  since: string,
): Promise<{ ids: Set<string>; since: string } | null> {
  const [row] = await em.execute<{ ids: string[] | null; since: string }[]>(
    `select to_json(greatest(a.created_at, ?::timestamptz)) #>> '{}' as since,
       (select json_agg(known.id) from (
          select f.execution_id as id from fills f
          where f.account_id = a.id and f.at >= greatest(a.created_at, ?::timestamptz) - interval '1 minute'
          union all
          select m.execution_id from fill_amendments m where m.account_id = a.id) known) as ids
     from accounts a where a.id = ? and exists (select from fill_cursors where account_id = a.id)`,
    [since, since, accountId],
  )
  return row ? { ids: new Set(row.ids), since: new Date(row.since).toISOString() } : null
}

export async function waitingSignals(em: EntityManager, signalIds: readonly string[]): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals where status in ('pending', 'scheduled')
       and id in (select jsonb_array_elements_text(?::jsonb)::uuid)`,
    [toStorableJson(signalIds)],
  )
  return rows.map(({ id }) => id)
}

export async function absentSignals(em: EntityManager, signalIds: readonly string[]): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select asked.id from jsonb_array_elements_text(?::jsonb) as asked (id)
     where not exists (select from signals s where s.id = asked.id::uuid)`,
    [toStorableJson(signalIds)],
  )
  return rows.map(({ id }) => id)
}

export async function acknowledgedDifferences(em: EntityManager, accountId: string): Promise<Set<string>> {
  const rows = await em.execute<{ message: string }[]>(
    `select difference ->> 'message' as message
     from alerts, jsonb_array_elements(data -> 'differences') as difference
     where account_id = ? and kind = 'set_back' and acknowledged_at is not null`,
    [accountId],
  )
  return new Set(rows.map(({ message }) => message))
}
