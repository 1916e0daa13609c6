import { add, multiply, negate, subtract, type Decimal } from '#domain/money/decimal.ts'
import { parseClientOrderId, type OrderStatus } from '#domain/order/order.ts'
import type { Action, ExecuteMode, SignalStatus } from '#domain/signal/signal.ts'
import type { AlertKind } from '#domain/alert/alert.ts'
import type { ExitStatus } from '#domain/exit/exit.ts'
import type { DueAction } from '#domain/alert/overdue.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import type { SignalOutcome } from '#workflows/signal/contract.ts'
import type { ByHandBooks } from './by-hand-faults.ts'
import type { StoredGroup } from './group-faults.ts'
import type { SetApart } from './share-replay.ts'
import type { Ledger, LedgerOrder } from './venue-desk.ts'

/** Levels of an exit plan that are certain, in percent of the average fill of the entry; null for none. */
export interface CertainLevels {
  stop: number | null
  target: number | null
}

/** The market trades at a price from then on; dollars a share, and an instant in UTC. */
export interface MarketStep {
  symbol: string
  price: number
  at: string
}

/**
 * All that is known of a run when it is over, from four places that cannot have agreed on a lie: what the senders
 * saw, the broker's ledger, the service's database, and Temporal. Instants are ISO 8601 in UTC, quantities are
 * decimal strings in shares.
 */
export interface Evidence {
  wishes: TradeRequest[]
  attempts: Attempt[]
  withdrawals: Withdrawal[]
  ledger: Ledger
  signals: StoredSignal[]
  /** Of several accounts, each with a signal or a refusal. */
  groups?: StoredGroup[]
  orders: StoredOrder[]
  /** Shares by symbol as the service shows them, negative for a short position. */
  positions: { symbol: string; quantity: Decimal }[]
  fills: StoredFill[]
  trades: StoredTrade[]
  workflows: WorkflowEnd[]
  /** The most shares of one symbol that may be held, open entries included, from the first order on; null for any. */
  maxPositionShares?: Decimal | null
  /** Alerts of signals, and when they were raised first. */
  alerts?: StoredAlert[]
  /** When nobody could watch, because the API or PostgreSQL was down; UTC instants, oldest first. */
  unwatched?: { from: string; to: string }[]
  /** When nothing was to leave: from the answer that trading is stopped to the wish that it goes on. UTC instants. */
  fullStops?: { from: string; to: string }[]
  /** Client order ids that the service has given up: nothing is at the broker under them, and nothing will be. */
  givenUp?: string[]
  /** Asked for by tickets, closes and flattenings; absent where nobody has noted it. */
  byHand?: ByHandBooks
  /** Client order ids of orders that a person has placed at the broker's own site. */
  bySite?: string[]
  /**
   * The ledger was restored from an older copy: orders that it has never heard of, what its owner was told of it, and the orders of
   * the ledger that was lost, whose shares were set apart by decisions that went with it.
   */
  rollback?: { lost: string[]; told: string; orders: StoredOrder[] } | null
  /** Prices that the market was told to have, oldest first. */
  market?: MarketStep[]
  /** By how many milliseconds the clock of a process may have been wrong. */
  clockErrorMs?: number
  /** When the records were read. */
  collectedAt?: string
  /** When Temporal lost all its data; null when it did not. */
  temporalLostAt?: string | null
  /** How long it took, after the last fault, until nothing moved any more, and what did then. */
  drain: { tookMs: number; limitMs: number; moving?: string }
}

/** One thing that a sender wants to happen once, however often it is sent. */
export interface TradeRequest {
  /** Its sourceId. */
  key: string
  symbol: string
  action: Action
  quantity: Decimal
  wantsExit: boolean
  /** No order before this instant. */
  notBefore: string | null
  /** No order after this instant. */
  sendBefore: string | null
  /** No exit before this instant. */
  exitNotBefore: string | null
  /** No exit sooner than so long after the end of the entry, in milliseconds. */
  exitAfterMs: number
  /** Nothing of its exit plan is to be at the broker before the price has reached a level. */
  exitWaitsForPrice?: boolean
  /** Levels of its exit plan; absent or null where they are not certain, or others trade in its symbol. */
  levels?: CertainLevels | null
}

/** One request and what its sender was told; status null when no answer came. */
export interface Attempt {
  key: string
  sentAt: string
  status: number | null
  signalId: string | null
  tookMs: number
}

/** A signal that was withdrawn or declined before its order was sent, as its owner was told. */
export interface Withdrawal {
  signalId: string
  acknowledgedAt: string
}

/** A row of the table of signals. */
export interface StoredSignal {
  id: string
  sourceId: string | null
  executeMode: ExecuteMode
  /** Its entry had to wait for earlier signals. */
  hasWaitedForTurn: boolean
  status: SignalStatus
  statusReason: string | null
  acceptedAt: string
  /** When its story ended last; null while it goes on. */
  endedAt: string | null
  /** When it was cancelled, for whatever reason; null unless it was. */
  cancelledAt: string | null
  /** It was replaced although the broker did not cancel its order, of which its owner was alerted. */
  replacedUncancelled: boolean
  filledQuantity: Decimal
  exitStatus: ExitStatus | null
}

/** A row of the table of orders. */
export interface StoredOrder {
  clientOrderId: string
  /** Asked for by a person, a close or a flattening. */
  isByHand: boolean
  status: OrderStatus
  filledQuantity: Decimal
  /** Whose shares were set apart for it, if it was to close any. */
  reservedLots?: SetApart[] | null
  /** Signals of another strategy, hook or person among those, where its signal manages its own shares alone. */
  takesOfOthers?: string[] | null
}

/** An alert that is about a signal. */
export interface StoredAlert {
  signalId: string
  kind: AlertKind
  /** What was not done in time; null for alerts of another kind. */
  what: DueAction | null
  raisedAt: string
}

/** A row of the table of fills; shares, and dollars a share. */
export interface StoredFill {
  executionId: string
  quantity: Decimal
  price: Decimal
  /** When it came on record. */
  recordedAt?: string
}

/** A row of the table of trades; shares and dollars. */
export interface StoredTrade {
  symbol: string
  side: TradeSide
  quantity: Decimal
  entryPrice: Decimal
  fees: Decimal
  /** Null while the trade is open. */
  realisedPnl: Decimal | null
}

/** A signal's workflow; the outcome is null unless it completed. */
export interface WorkflowEnd {
  signalId: string
  status: string
  outcome: SignalOutcome | null
}

/** What a run has brought about in one symbol, when no signal of another had to do with it. */
export function evidenceIn(symbol: string, evidence: Evidence): Evidence {
  const wishes = evidence.wishes.filter((desired) => desired.symbol === symbol)
  const keys = new Set(wishes.map(({ key }) => key))
  const signals = evidence.signals.filter(({ sourceId }) => sourceId !== null && keys.has(sourceId))
  const ids = new Set(signals.map(({ id }) => id))
  const ledgerOrders = evidence.ledger.orders.filter((order) => order.symbol === symbol)
  const placed = new Set(ledgerOrders.map(({ client_order_id }) => client_order_id))
  const executions = new Set(ledgerOrders.flatMap(({ fills }) => fills.map((fill) => fill.execution_id)))
  const isOurs = (clientOrderId: string | null): boolean =>
    clientOrderId !== null &&
    (placed.has(clientOrderId) || ids.has(parseClientOrderId(clientOrderId)?.signalId ?? ''))
  return {
    wishes,
    signals,
    attempts: evidence.attempts.filter(({ key }) => keys.has(key)),
    withdrawals: evidence.withdrawals.filter(({ signalId }) => ids.has(signalId)),
    workflows: evidence.workflows.filter(({ signalId }) => ids.has(signalId)),
    orders: evidence.orders.filter(({ clientOrderId }) => isOurs(clientOrderId)),
    positions: evidence.positions.filter((position) => position.symbol === symbol),
    fills: evidence.fills.filter(({ executionId }) => executions.has(executionId)),
    trades: evidence.trades.filter((trade) => trade.symbol === symbol),
    ledger: {
      account: { openingCash: '0', cash: cashFrom(ledgerOrders) },
      orders: ledgerOrders,
      positions: evidence.ledger.positions.filter((position) => position.symbol === symbol),
      submissions: evidence.ledger.submissions.filter(({ client_order_id }) => isOurs(client_order_id)),
    },
    drain: evidence.drain,
    maxPositionShares: evidence.maxPositionShares ?? null,
    alerts: (evidence.alerts ?? []).filter(({ signalId }) => ids.has(signalId)),
    givenUp: (evidence.givenUp ?? []).filter(isOurs),
    bySite: (evidence.bySite ?? []).filter((id) => placed.has(id)),
    fullStops: evidence.fullStops ?? [],
    market: (evidence.market ?? []).filter((step) => step.symbol === symbol),
    ...(evidence.collectedAt !== undefined && { collectedAt: evidence.collectedAt }),
  }
}

/** What the fills of these orders have done to the cash, in dollars. */
const cashFrom = (orders: readonly LedgerOrder[]): Decimal =>
  orders
    .flatMap(({ side, fills }) =>
      fills.map(({ qty, price, fee }) => {
        const value = multiply(qty, price)
        return subtract(side === 'sell' ? value : negate(value), fee)
      }),
    )
    .reduce<Decimal>(add, '0')
