import { accountOperations } from '../accounts/operations.ts'
import { adminOperations } from '../admin/operations.ts'
import { agendaOperations } from '../agenda/operations.ts'
import { alertOperations } from '../alerts/operations.ts'
import { assetOperations } from '../assets/operations.ts'
import { brokerOperations } from '../brokers/operations.ts'
import { settingsOperations } from '../settings/operations.ts'
import { dashboardOperations } from '../dashboard/operations.ts'
import { desktopOperations } from '../desktop/operations.ts'
import { eventOperations } from '../events/operations.ts'
import { identityOperations } from '../identity/operations.ts'
import { marketOperations } from '../market/operations.ts'
import { orderOperations } from '../orders/operations.ts'
import { positionOperations } from '../positions/operations.ts'
import { serviceOperations } from '../health/operations.ts'
import { signalOperations } from '../signals/operations.ts'
import { strategyOperations } from '../strategies/operations.ts'
import { tradeOperations } from '../trades/operations.ts'
import { webAppOperations } from '../web-app/operations.ts'
import type { Operations } from '../http/operation.ts'

/** Every route of the API that is described, room by room. */
export const OPERATIONS: Operations = {
  ...signalOperations,
  ...agendaOperations,
  ...orderOperations,
  ...tradeOperations,
  ...positionOperations,
  ...accountOperations,
  ...strategyOperations,
  ...dashboardOperations,
  ...brokerOperations,
  ...assetOperations,
  ...marketOperations,
  ...settingsOperations,
  ...alertOperations,
  ...eventOperations,
  ...identityOperations,
  ...desktopOperations,
  ...adminOperations,
  ...serviceOperations,
  ...webAppOperations,
}
