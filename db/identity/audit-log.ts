import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { sliceOfRows, type ListOrder, type Page, type Slice } from '../engine/page.ts'

export interface AuditEvent {
  /** Null when unknown, as for a failed sign-in. */
  userId: string | null
  /** Null for the service or a stranger. */
  actorId: string | null
  kind: string
  credential?: string | null
  ip?: string | null
  requestId?: string | null
  data?: Record<string, unknown>
}

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
      toStorableJson(event.data ?? {}),
    ],
  )
}

export type AuditRecord = Required<AuditEvent> & { sequence: string; at: Date }

export const AUDIT_ORDER: ListOrder = {
  columns: [{ name: 'sequence', type: 'bigint' }],
  direction: 'desc',
}

export async function listAuditEvents(
  em: EntityManager,
  userId: string | null,
  page: Page,
): Promise<Slice<AuditRecord>> {
  const sql = `
    select sequence, user_id as "userId", actor_id as "actorId", kind, at, credential, ip,
           request_id as "requestId", data
    from audit_events`
  const list =
    userId === null ? { sql, parameters: [] } : { sql: `${sql} where user_id = ?`, parameters: [userId] }
  const slice = await sliceOfRows<Omit<AuditRecord, 'at'> & { at: string }>(em, list, AUDIT_ORDER, page)
  return { ...slice, items: slice.items.map((row) => ({ ...row, at: new Date(row.at) })) }
}
