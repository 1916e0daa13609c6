import { recordAuditEvent } from '#db/identity/audit-log.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Caller } from './caller.ts'

export type TradingEvent =
  | 'trading_mode.changed'
  | 'account.made_primary'
  | 'account.changed'
  | 'broker.connected'
  | 'broker.renamed'
  | 'broker.keys_replaced'
  | 'broker.disconnected'
  | 'risk_limits.changed'
  | 'halt.set'
  | 'halt.lifted'
  | 'order.let_go'
  | 'position.accepted'

export const auditTrading = (
  em: EntityManager,
  { principal, ip, requestId }: Caller,
  kind: TradingEvent,
  data: Record<string, unknown>,
): Promise<void> => {
  const { userId, credential, tokenId } = principal
  return recordAuditEvent(em, {
    userId,
    actorId: userId,
    kind,
    credential,
    ip,
    requestId,
    data: tokenId === null ? data : { ...data, tokenId },
  })
}
