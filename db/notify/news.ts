import type { AlertKind } from '#domain/alert/alert.ts'
import type { AlertFacts } from '#domain/alert/remedies.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { OrderSide, OrderType } from '#domain/order/order.ts'
import type { Action, QuantityType } from '#domain/signal/signal.ts'
import type { ChannelTarget } from './channels.ts'
import type { NotifiedDay } from './day-summaries.ts'

export interface NotifiedSignal {
  id: string
  symbol: string
  action: Action
  quantity: Decimal
  quantityType: QuantityType
  orderType: OrderType
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  /** ISO; null: no end. */
  validUntil: string | null
  /** Shares; dollars a share, null before the first fill. */
  filledQuantity: Decimal
  avgFillPrice: Decimal | null
  statusDetail: string | null
  /** Whether its account trades real money. */
  isLive: boolean
  /** Dollars after fees, once closed; null where unknown. */
  result: Decimal | null
}

export interface NotifiedOrder extends Pick<
  NotifiedSignal,
  'id' | 'symbol' | 'filledQuantity' | 'avgFillPrice'
> {
  side: OrderSide
}

export interface NotifiedAlert {
  id: string
  kind: AlertKind
  message: string
  data: Record<string, unknown>
  signalId: string | null
  facts: AlertFacts
}

export interface WebhookEvent {
  id: string
  /** Such as `signal.executed`. */
  type: string
  data: Record<string, unknown>
  /** ISO instant. */
  at: string
}

/** Another channel of its owner. */
export interface PausedChannel {
  id: string
  name: string
  pauseReason: string
}

export interface DueNotice {
  id: string
  /** The signal, order, alert, day or event. */
  subjectId: string
  attempts: number
  expiresAt: Date
  showFigures: boolean
  target: ChannelTarget
  /** Consecutive failures of the channel before this message, and their first instant. */
  failures: number
  failingSince: string | null
  /** Further news gathered into this one. */
  more: number
  news: News
}

export type News =
  | { kind: 'waiting' | 'settled' | 'closed' | 'refused'; signal: NotifiedSignal }
  | { kind: 'filled'; filled: { signal: NotifiedSignal } | { order: NotifiedOrder } }
  | { kind: 'alert'; alert: NotifiedAlert }
  | { kind: 'summary'; day: NotifiedDay }
  | { kind: 'paused'; channel: PausedChannel }
  | { kind: 'event'; event: WebhookEvent }
  /** Finds a subscription that has ended; shows nothing. */
  | { kind: 'check' }

export const NEWS_KINDS = [
  'waiting',
  'settled',
  'closed',
  'refused',
  'filled',
  'alert',
  'summary',
  'paused',
  'event',
  'check',
] as const satisfies readonly News['kind'][]
