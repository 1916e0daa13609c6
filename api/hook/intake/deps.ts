import type { BrokerAccess } from '../../broker/asked.ts'
import type { Failpoint } from '../../http/failpoint.ts'
import type { FlattenGateway } from '../../temporal/gateway.ts'
import type { OrderGateway } from '../../temporal/signals.ts'
import type { SignalGateway } from '../../temporal/calls.ts'
import type { DryRunDeps } from '../../signal/dry-run.ts'
import type { ExitDeps } from '../../exit/commands.ts'
import type { CreationDeps } from '../../intake/create.ts'

export interface IntakeDeps extends CreationDeps, DryRunDeps, ExitDeps {
  gateway: SignalGateway & OrderGateway & FlattenGateway
  failpoint: Failpoint
  /** Broker access for closing positions. */
  tradingBroker: BrokerAccess
  signalsEnabled: boolean
}
