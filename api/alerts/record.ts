import type { KnownAlert } from '#db/risk/alerts.ts'
import { remedyOf } from '#domain/alert-remedies.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { workflowOf } from '../http/workflow-link.ts'
import type { AlertAnswer } from '#contract/alerts/answers.ts'

export const presentAlert = (
  { alert, orderId, symbol, facts }: KnownAlert,
  temporalUi: string | null,
): AlertAnswer => ({
  id: alert.id,
  kind: alert.kind,
  message: alert.message,
  toDo: alert.resolvedAt == null ? remedyOf(alert.kind, alert.data, facts).text : null,
  accountId: alert.accountId ?? null,
  tokenId: alert.tokenId ?? null,
  strategyId: alert.strategyId ?? null,
  signalId: orderId === null ? (alert.signalId ?? null) : null,
  orderId,
  workflow: workflowOf(alert, temporalUi),
  symbol,
  details: alert.data,
  raisedAt: toIsoInstant(alert.raisedAt),
  acknowledgedAt: toIsoInstant(alert.acknowledgedAt),
  acknowledgedBy: alert.acknowledgedBy ?? null,
  resolvedAt: toIsoInstant(alert.resolvedAt),
})
