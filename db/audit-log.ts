import type { EntityManager } from './database.ts'

/** Something that concerns security or the authority to trade. Holds no secret. */
export interface AuditEvent {
  /** Whom it concerns; null when nobody is known, as for a failed sign-in to an unknown address. */
  userId: string | null
  /** Who did it; null when it was the service itself or somebody unknown. */
  actorId: string | null
  /** What happened, such as sign_in.failed. */
  kind: string
  /** By what kind of credential. */
  credential?: string | null
  ip?: string | null
  requestId?: string | null
  data?: Record<string, unknown>
}

/** Adds to the log, in the transaction of what it tells of where there is one. It can never be changed. */
export async function recordAuditEvent(em: EntityManager, event: AuditEvent): Promise<void> {
  await em.execute(
    `insert into audit_events (user_id, actor_id, kind, credential, ip, request_id, data)
     values (?, ?, ?, ?, ?, ?, ?::jsonb)`,
    [
      event.userId,
      event.actorId,
      event.kind,
      event.credential ?? null,
      event.ip ?? null,
      event.requestId ?? null,
      JSON.stringify(event.data ?? {}),
    ],
    'run',
  )
}

export type AuditRecord = Required<AuditEvent> & { sequence: string; at: Date }

/** The log, newest first: of one user, or of everybody when `userId` is null. */
export async function listAuditEvents(
  em: EntityManager,
  query: { userId: string | null; limit: number; offset: number },
): Promise<{ total: number; events: AuditRecord[] }> {
  const [condition, parameters] = query.userId === null ? ['', []] : ['where user_id = ?', [query.userId]]
  const [count] = await em.execute<{ total: number }[]>(
    `select count(*)::int as total from audit_events ${condition}`,
    parameters,
  )
  const rows = await em.execute<(Omit<AuditRecord, 'at'> & { at: string })[]>(
    `select sequence::text, user_id as "userId", actor_id as "actorId", kind, at, credential, ip,
            request_id as "requestId", data
     from audit_events ${condition} order by sequence desc limit ? offset ?`,
    [...parameters, query.limit, query.offset],
  )
  return { total: count!.total, events: rows.map((row) => ({ ...row, at: new Date(row.at) })) }
}
