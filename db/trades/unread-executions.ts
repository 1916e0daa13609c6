import { executionsUnreadable } from '#domain/alert.ts'
import { raiseAlert, resolveAlert } from '../risk/alerts.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import type { FillAccount } from './fill-rows.ts'

/** An execution that its broker lists and nobody can read. */
export interface UnreadExecution {
  executionId: string
  /** The fault in words. */
  detail: string
}

/** Of the executions that could not be read, at most so many are named. */
const EXECUTIONS_NAMED = 20

/** The executions of an account that could not be read, the first ones first. */
export async function unreadExecutions(em: EntityManager, accountId: string): Promise<UnreadExecution[]> {
  return em.execute(
    `select execution_id as "executionId", detail from unread_executions where account_id = ?
     order by first_seen_at, execution_id limit ${EXECUTIONS_NAMED}`,
    [accountId],
  )
}

/**
 * Takes note of executions that cannot be read, and alerts the owner of each once; and of those that can be by now, with
 * the last of which the alert ends. Inside a transaction that holds the account's row.
 *
 * @param read ids of executions that could be read
 */
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
