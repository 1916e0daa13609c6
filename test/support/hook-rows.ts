import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import { createUser } from './factories.ts'

export interface HookRow {
  id: string
  userId: string
}

/** A hook of a new user, or of this one. */
export async function addHookRow(em: EntityManager, owner?: string): Promise<HookRow> {
  const id = randomUUID()
  const userId = owner ?? (await createUser(em)).id
  await em.execute(
    `insert into access_tokens (id, user_id, kind, label, prefix, scopes, expires_at) values (?, ?, 'hook', 'x', 'hook', '{}', null)`,
    [id, userId],
  )
  await em.execute(
    `insert into hooks (id, user_id, name, kind, settings, requests_per_minute) values (?, ?, 'x', 'json', '{}', 60)`,
    [id, userId],
  )
  return { id, userId }
}
