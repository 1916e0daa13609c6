import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'

/** The body with which one of the user's signals came, without secrets; null where none was kept. */
export async function findSource(
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<string | null> {
  const [row] = await queryRows<{ body: string }>(
    em,
    `select body from signal_sources where signal_id = ? and user_id = ?`,
    [signalId, userId],
  )
  return row?.body ?? null
}
