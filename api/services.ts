import type { Database } from '#db/engine/database.ts'
import type { Logger } from 'pino'
import type { AssetListings } from './assets/listings.ts'
import type { BrokerAccess } from './brokers/access.ts'
import type { BrokerLooks } from './brokers/looks.ts'
import type { BrokerManagement } from './brokers/commands.ts'
import type { LiveFeed } from './events/live-feed.ts'
import type { Readiness } from './health/readiness.ts'
import type { Failpoint } from './http/failpoint.ts'
import type { WorkBounds } from './http/work-bounds.ts'
import type { SessionDeps } from './identity/deps.ts'
import type { OpenMailbox } from './mail/mailbox-page.ts'
import type { MarketData } from './market/market-data.ts'
import type { PushDependencies } from './push/delivery.ts'
import type { ApiReference } from './openapi/reference/reference.ts'
import type { AccountSyncGateway } from './temporal/account-syncs.ts'
import type { FlattenGateway } from './temporal/flatten.ts'
import type { OrderGateway } from './temporal/orders.ts'
import type { SignalGateway } from './temporal/signals.ts'

/**
 * What the work of routes needs of the process: each route says which part of it. Brokers are connected to as all but
 * trading does, within a share of what they allow.
 */
export interface Services extends SessionDeps, BrokerManagement {
  gateway: SignalGateway & OrderGateway & AccountSyncGateway & FlattenGateway
  logger: Logger
  failpoint: Failpoint
  /** How long after its arrival a request about signals and orders is answered, in milliseconds. */
  answerDeadline: number
  /** How long after its acceptance or approval a signal or order may still be sent, in milliseconds. */
  maxStaleness: number
  /** The time by PostgreSQL's clock, in milliseconds since the epoch. */
  now: () => number
  /** So many signals of one user may be without an outcome for another one to be stored without its turn. */
  begunLater: number
  /** Signals of one account that may wait for a decision or for their time. */
  maxWaiting: number
  /** False while an operator has switched signals off. */
  signalsEnabled: boolean
  /** The operator lets real money be traded. */
  liveTrading: boolean
  work: WorkBounds
  /** Connections for trading, in the name of the service. */
  database: Database
  /** Connections for all that is not trading. */
  ordinaryDatabase: Database
  /** Brokers as orders see them, of which closing a position is one. */
  tradingBroker: BrokerAccess
  market: MarketData
  /** Answers of brokers that are kept for those who look; null where everything is asked anew. */
  looks: BrokerLooks | null
  /** The assets that brokers list. */
  listings: AssetListings
  feed: LiveFeed
  /** Between two heartbeats of an event stream, in milliseconds. */
  heartbeat: number
  /** Event streams that one user may hold open in this process. */
  maxStreams: number
  checkReadiness: () => Promise<Readiness>
  reference: ApiReference
  /** How notifications are sent; null where the operator has switched them off. */
  push: PushDependencies | null
  /** Where Temporal's UI is; null where the operator has named none. */
  temporalUiUrl: string | null
  /** Messages are kept on the machine of the service, and go out by no mail server. */
  keepsMessages: boolean
  /** Where those may be read from this machine; null where there are none, or people reach the service from elsewhere. */
  openMailbox: OpenMailbox | null
}
