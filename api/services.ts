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
import type { NotifyDeps } from './notify/commands.ts'
import type { ApiReference } from './openapi/reference/reference.ts'
import type { AccountSyncGateway, FlattenGateway } from './temporal/gateway.ts'
import type { OrderGateway } from './temporal/signals.ts'
import type { SignalGateway } from './temporal/calls.ts'

/** Broker requests use a share of the limits, except for trading. */
export interface Services extends SessionDeps, BrokerManagement {
  gateway: SignalGateway & OrderGateway & AccountSyncGateway & FlattenGateway
  logger: Logger
  failpoint: Failpoint
  /** Milliseconds after arrival. */
  answerDeadline: number
  /** Milliseconds after acceptance or approval to send an order. */
  signalTtl: number
  now: () => number
  /** As in `CreationDeps`. */
  begunLater: number
  maxWaiting: number
  signalsEnabled: boolean
  liveTrading: boolean
  work: WorkBounds
  /** For trading, on behalf of the service. */
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
  /** Per user and process. */
  maxStreams: number
  checkReadiness: () => Promise<Readiness>
  reference: ApiReference
  notify: NotifyDeps
  temporalUiUrl: string | null
  keepsMessages: boolean
  /** Null without mailbox, or beyond this machine. */
  openMailbox: OpenMailbox | null
}
