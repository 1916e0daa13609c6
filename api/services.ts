import type { Database } from '#db/engine/database.ts'
import type { Logger } from 'pino'
import type { AssetListings } from './asset/commands.ts'
import type { BrokerAccess } from './broker/asked.ts'
import type { SnapshotCache } from './broker/snapshot-cache.ts'
import type { BrokerManagement } from './broker/commands.ts'
import type { LiveFeed } from './events/live-feed.ts'
import type { Readiness } from './health/readiness.ts'
import type { Failpoint } from './http/failpoint.ts'
import type { WorkBounds } from './http/work-bounds.ts'
import type { SessionDeps } from './identity/deps.ts'
import type { OpenMailbox } from './mail/mailbox-page.ts'
import type { MarketData } from './market/market-data.ts'
import type { PushDependencies } from './push/delivery.ts'
import type { ApiReference } from './openapi/reference/reference.ts'
import type { AccountSyncGateway, FlattenGateway } from './temporal/gateway.ts'
import type { OrderGateway } from './temporal/signals.ts'
import type { SignalGateway } from './temporal/calls.ts'

/** Brokers are asked within a share of their limits, except for trading. */
export interface Services extends SessionDeps, BrokerManagement {
  gateway: SignalGateway & OrderGateway & AccountSyncGateway & FlattenGateway
  logger: Logger
  failpoint: Failpoint
  /** Milliseconds after arrival, for requests about signals and orders. */
  answerDeadline: number
  /** Milliseconds after acceptance or approval in which an order may be sent. */
  signalTtl: number
  now: () => number
  /** Signals of a user without an outcome, up to which another is stored without its turn. */
  begunLater: number
  maxWaiting: number
  signalsEnabled: boolean
  liveTrading: boolean
  work: WorkBounds
  /** For trading, in the name of the service. */
  database: Database
  ordinaryDatabase: Database
  tradingBroker: BrokerAccess
  market: MarketData
  /** Null: every question goes to the broker. */
  looks: SnapshotCache | null
  listings: AssetListings
  feed: LiveFeed
  /** Milliseconds. */
  heartbeat: number
  /** Event streams per user, in this process. */
  maxStreams: number
  checkReadiness: () => Promise<Readiness>
  reference: ApiReference
  push: PushDependencies | null
  /** Null: not configured. */
  temporalUiUrl: string | null
  keepsMessages: boolean
  /** Null where there are none, or people reach the service from elsewhere. */
  openMailbox: OpenMailbox | null
}
