import { recordAuditEvent } from '#db/identity/audit-log.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Origin, Caller } from '../http/caller.ts'

export type IdentityEvent =
  | 'user.registered'
  | 'user.registration_requested'
  | 'sign_in.succeeded'
  | 'sign_in.failed'
  | 'sign_in.second_factor_failed'
  | 'session.ended'
  | 'session.refresh_token_reused'
  | 'verification.succeeded'
  | 'verification.failed'
  | 'password.changed'
  | 'password.reset_requested'
  | 'password.reset'
  | 'second_factor.enabled'
  | 'second_factor.disabled'
  | 'backup_codes.regenerated'
  | 'token.created'
  | 'token.changed'
  | 'token.revoked'
  | 'hook.created'
  | 'hook.changed'
  | 'hook.deleted'
  | 'hook.live_switched'
  | 'hook.secret_made'
  | 'hook.secret_ended'
  | 'hook.signing_key_made'
  | 'hook.signing_key_removed'
  | 'device.approved'
  | 'device.denied'
  | 'channel.added'
  | 'channel.removed'
  | 'channel.secret_rotated'

/** @param userId null for an unknown user */
export const audit = (
  em: EntityManager,
  kind: IdentityEvent,
  userId: string | null,
  caller: Origin,
  data: Record<string, unknown> = {},
): Promise<void> =>
  recordAuditEvent(em, { userId, actorId: userId, kind, ip: caller.ip, requestId: caller.requestId, data })

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

export type AdminEvent =
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
