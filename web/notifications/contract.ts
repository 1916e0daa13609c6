import { ask } from '../connection/ask.ts'

/** A device that gets the person's notifications. */
export interface PushDevice {
  id: string
  device: string
  createdAt: string
  lastDeliveredAt: string | null
  service: string
}
export interface NotificationChoices {
  waitingSignals: boolean
  alerts: boolean
  showFigures: boolean
}
interface PushRoutes {
  'GET /api/v1/push/subscriptions': PushDevice[]
  'POST /api/v1/push/subscriptions': PushDevice
  'DELETE /api/v1/push/subscriptions/{subscriptionId}': unknown
  'POST /api/v1/push/test': { sent: number; failed: number }
  'GET /api/v1/settings/notifications': NotificationChoices
  'PUT /api/v1/settings/notifications': NotificationChoices
}
export const askPush = ask as unknown as <R extends keyof PushRoutes>(
  route: R,
  request?: { path?: Record<string, string>; body?: unknown },
) => Promise<{ body: { data: PushRoutes[R] } }>
