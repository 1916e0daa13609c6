import type { EntityManager } from '../engine/database.ts'

/** Opens one event stream; only the hash is stored. */
export async function insertEventTicket(
  em: EntityManager,
  ticket: { hash: string; userId: string; sessionId: string; seconds: number },
): Promise<{ expiresAt: Date }> {
  const [row] = await em.execute<{ expires_at: string }[]>(
    `insert into event_tickets (hash, user_id, session_id, expires_at)
     values (?, ?, ?, now() + make_interval(secs => ?)) returning expires_at`,
    [ticket.hash, ticket.userId, ticket.sessionId, ticket.seconds],
  )
  return { expiresAt: new Date(row!.expires_at) }
}

/** Null when unknown, used or expired; one caller gets it. */
export async function takeEventTicket(
  em: EntityManager,
  hash: string,
): Promise<{ userId: string; sessionId: string } | null> {
  const [row] = await em.execute<{ userId: string; sessionId: string; valid: boolean }[]>(
    `delete from event_tickets where hash = ?
     returning user_id as "userId", session_id as "sessionId", expires_at > now() as valid`,
    [hash],
  )
  return row?.valid ? { userId: row.userId, sessionId: row.sessionId } : null
}
