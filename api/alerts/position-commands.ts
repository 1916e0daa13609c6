import { findAlerts } from '#db/risk/alerts.ts'
import type { Database } from '#db/engine/database.ts'
import { acceptPosition } from '#db/trades/position-acceptance.ts'
import { requireWithinBounds } from '../access/token-bounds.ts'
import { positionUnreadable } from '../admin/commands.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'

/** Throws ALERT_NOT_FOUND, TOKEN_BOUNDS_EXCEEDED, POSITION_NOT_FOUND and POSITIONS_UNAVAILABLE. */
export async function acceptPositionOfAlert(
  database: Database,
  caller: Caller,
  alertId: string,
): Promise<void> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const [known] = await inTime(findAlerts(em, principal.userId, [alertId]))
  if (!known) throw new ApiError('ALERT_NOT_FOUND')
  const { accountId, symbol, kind, resolvedAt } = known.alert
  if (accountId == null) throw nothingToAccept()
  requireWithinBounds(principal, { accountId })
  if (kind !== 'position_differs' || symbol == null || resolvedAt != null) throw nothingToAccept()
  // The service writes fills; the account was looked up in the name of the caller.
  const accepted = await inTime(acceptPosition(database.em.fork(), accountId, symbol))
  if (accepted === 'unreadable') throw positionUnreadable()
  if (accepted === 'changed')
    throw new ApiError('POSITION_NOT_FOUND', {
      message: `The position in ${symbol} is not what the alert tells any more; read the alert again`,
    })
  if (typeof accepted === 'string') throw nothingToAccept()
  const { shown, executed } = accepted
  await inTime(auditTrading(em, caller, 'position.accepted', { accountId, symbol, shown, executed }))
}

const nothingToAccept = (): ApiError =>
  new ApiError('POSITION_NOT_FOUND', {
    message: 'The alert tells of no position that differs, or is over',
  })
