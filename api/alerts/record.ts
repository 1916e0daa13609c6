import type { KnownAlert } from '#db/risk/alerts.ts'
import { orderWorkflowIdFor } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { toIsoInstant } from '../http/presentation.ts'
import type { AlertAnswer } from './answers.ts'

/** An alert as its owner sees it. */
export const presentAlert = ({ alert, symbol }: KnownAlert): AlertAnswer => ({
  id: alert.id,
  kind: alert.kind,
  message: alert.message,
  accountId: alert.accountId,
  signalId: alert.signalId ?? null,
  orderId: alert.orderId ?? null,
  workflowId: workflowOf(alert),
  symbol,
  details: alert.data,
  raisedAt: toIsoInstant(alert.raisedAt),
  acknowledgedAt: toIsoInstant(alert.acknowledgedAt),
  acknowledgedBy: alert.acknowledgedBy ?? null,
  resolvedAt: toIsoInstant(alert.resolvedAt),
})

const workflowOf = ({ signalId, orderId }: KnownAlert['alert']): string | null => {
  if (signalId) return workflowIdFor(signalId)
  return orderId ? orderWorkflowIdFor(orderId) : null
}
