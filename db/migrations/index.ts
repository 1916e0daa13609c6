import { Spine } from './0001-spine.ts'
import { Identity } from './0002-identity.ts'
import { Risk } from './0003-risk.ts'
import { Lifecycle } from './0004-lifecycle.ts'
import { SealedCredentials } from './0005-sealed-credentials.ts'
import { RowSecurity } from './0006-row-security.ts'
import { VisibleOrderRates } from './0007-visible-order-rates.ts'
import { DesktopSync } from './0008-desktop-sync.ts'
import { Alerts } from './0009-alerts.ts'
import { ListIndexes } from './0010-list-indexes.ts'
import { OrdersByHand } from './0011-orders-by-hand.ts'
import { BrokerManagement } from './0012-broker-management.ts'
import { Trades } from './0013-trades.ts'
import { StrategiesAndSnapshots } from './0014-strategies-and-snapshots.ts'
import { LiveEvents } from './0015-live-events.ts'
import { FillCheckpoints } from './0016-fill-checkpoints.ts'
import { MoreListIndexes } from './0020-more-list-indexes.ts'
import { UnbelievedMessages } from './0030-unbelieved-messages.ts'
import { TokenLives } from './0035-token-lives.ts'
import { WaitingSignals } from './0050-waiting-signals.ts'
import { OrderEnds } from './0080-order-ends.ts'
import { OrderExpiry } from './0090-order-expiry.ts'

/** In the order in which they are applied; a published one is never edited. */
export const migrations = [
  { name: '0001-spine', class: Spine },
  { name: '0002-identity', class: Identity },
  { name: '0003-risk', class: Risk },
  { name: '0004-lifecycle', class: Lifecycle },
  { name: '0005-sealed-credentials', class: SealedCredentials },
  { name: '0006-row-security', class: RowSecurity },
  { name: '0007-visible-order-rates', class: VisibleOrderRates },
  { name: '0008-desktop-sync', class: DesktopSync },
  { name: '0009-alerts', class: Alerts },
  { name: '0010-list-indexes', class: ListIndexes },
  { name: '0011-orders-by-hand', class: OrdersByHand },
  { name: '0012-broker-management', class: BrokerManagement },
  { name: '0013-trades', class: Trades },
  { name: '0014-strategies-and-snapshots', class: StrategiesAndSnapshots },
  { name: '0015-live-events', class: LiveEvents },
  { name: '0016-fill-checkpoints', class: FillCheckpoints },
  { name: '0020-more-list-indexes', class: MoreListIndexes },
  { name: '0030-unbelieved-messages', class: UnbelievedMessages },
  { name: '0035-token-lives', class: TokenLives },
  { name: '0050-waiting-signals', class: WaitingSignals },
  { name: '0080-order-ends', class: OrderEnds },
  { name: '0090-order-expiry', class: OrderExpiry },
]
