import type { BrokerAccess } from '../../brokers/access.ts'
import type { Failpoint } from '../../http/failpoint.ts'
import type { FlattenGateway } from '../../temporal/flatten.ts'
import type { OrderGateway } from '../../temporal/orders.ts'
import type { SignalGateway } from '../../temporal/signals.ts'
import type { DryRunDeps } from '../../signals/dry-run-commands.ts'
import type { PlanDeps } from '../../signals/protection-commands.ts'
import type { CreationDeps } from '../../intake/create.ts'

export interface IntakeDeps extends CreationDeps, DryRunDeps, PlanDeps {
  gateway: SignalGateway & OrderGateway & FlattenGateway
  failpoint: Failpoint
  /** Brokers as orders see them, for closing positions. */
  tradingBroker: BrokerAccess
  /** False while an operator has switched signals off. */
  signalsEnabled: boolean
}
