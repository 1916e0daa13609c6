import { executionsUnreadable } from '#domain/alert.ts'
import { raiseAlert, resolveAlert } from '../risk/alerts.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import type { FillAccount } from './fill-rows.ts'

export interface UnreadExecution {
  executionId: string
  detail: string
}

const EXECUTIONS_NAMED = 20

export async function unreadExecutions(em: EntityManager, accountId: string): Promise<UnreadExecution[]> {
  return em.execute(
    `select execution_id as "executionId", detail from unread_executions where account_id = ?
     order by first_seen_at, execution_id limit ${EXECUTIONS_NAMED}`,
    [accountId],
  )
}

/** The alert ends with the last readable one (`read`: ids). In a transaction that locks the account. */
export async function noteUnreadExecutions(
  em: EntityManager,
  { accountId, userId }: FillAccount,
  unreadable: readonly UnreadExecution[],
  read: readonly string[],
): Promise<void> {
  const news = await em.execute<unknown[]>(
    `insert into unread_executions (account_id, user_id, execution_id, detail)
     select ?, ?, x."executionId", x.detail
     from jsonb_to_recordset(?::jsonb) as x ("executionId" text, detail text)
     on conflict do nothing returning execution_id`,
    [accountId, userId, toStorableJson(unreadable)],
  )
  const readNow = await em.execute<unknown[]>(
    `delete from unread_executions
     where account_id = ? and execution_id in (select jsonb_array_elements_text(?::jsonb)) returning execution_id`,
    [accountId, toStorableJson(read)],
  )
  if (news.length === 0 && readNow.length === 0) return
  const left = await unreadExecutions(em, accountId)
  const subject = { accountId, signalId: null }
  if (left.length === 0) await resolveAlert(em, subject, 'execution_unreadable')
  else if (news.length > 0) await raiseAlert(em, subject, executionsUnreadable(left))
}
