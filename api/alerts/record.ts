import type { KnownAlert } from '#db/risk/alerts.ts'
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
  symbol,
  details: alert.data,
  raisedAt: toIsoInstant(alert.raisedAt),
  acknowledgedAt: toIsoInstant(alert.acknowledgedAt),
  acknowledgedBy: alert.acknowledgedBy ?? null,
  resolvedAt: toIsoInstant(alert.resolvedAt),
})
