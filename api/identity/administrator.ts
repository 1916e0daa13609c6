import { recordAuditEvent } from '#db/identity/audit-log.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Caller } from '../http/caller.ts'

export interface Administrator {
  actorId: string | null
  ip: string | null
  requestId: string | null
}

export const administratorOf = ({ principal, ip, requestId }: Caller): Administrator => ({
  actorId: principal.userId,
  ip,
  requestId,
})

type AdminEvent =
  | 'admin.user_created'
  | 'admin.user_changed'
  | 'admin.legacy_key_issued'
  | 'admin.sessions_ended'
  | 'admin.second_factor_removed'
  | 'admin.halt_set'
  | 'admin.halt_lifted'
  | 'admin.order_declared_lost'
  | 'admin.position_accepted'

export const recordAdministration = (
  em: EntityManager,
  by: Administrator,
  userId: string | null,
  kind: AdminEvent,
  data: Record<string, unknown>,
): Promise<void> =>
  recordAuditEvent(em, { ...by, userId, kind, data: { ...data, by: by.actorId ?? 'command line' } })
