import { recordAuditEvent } from '#db/identity/audit-log.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { principalOf, type ApiContext } from './context.ts'

/** What the audit log tells of the authority to trade. */
export type TradingEvent =
  | 'trading_mode.changed'
  | 'account.made_primary'
  | 'broker.connected'
  | 'broker.renamed'
  | 'broker.keys_replaced'
  | 'broker.disconnected'
  | 'risk_limits.changed'
  | 'halt.set'
  | 'halt.lifted'

/** Writes what somebody did into the audit log of the user in whose name they did it. */
export const auditTrading = (
  em: EntityManager,
  ctx: ApiContext,
  kind: TradingEvent,
  data: Record<string, unknown>,
): Promise<void> => {
  const { userId, credential, tokenId } = principalOf(ctx)
  return recordAuditEvent(em, {
    userId,
    actorId: userId,
    kind,
    credential,
    ip: ctx.state.clientIp,
    requestId: ctx.state.requestId,
    data: tokenId === null ? data : { ...data, tokenId },
  })
}
