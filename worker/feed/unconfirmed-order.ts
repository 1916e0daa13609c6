import type { Broker, BrokerPosition } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { LedgerOrder } from '#db/order/compared-orders.ts'
import { mergeOrderReport, recordedOrder, type AppliedReport } from '#db/order/reports.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { raiseAlert, resolveAlert, type AlertSubject } from '#db/alert/alerts.ts'
import { pauseAfter } from '#domain/async/backoff.ts'
import { HIDDEN_ORDER_PATIENCE_MS, MAX_POSITION_LAG_MS } from '#domain/time/broker-clock.ts'
import { isPositive, subtract, type Decimal, figure } from '#domain/money/decimal.ts'
import { isReducing, isTerminal, type OrderReport } from '#domain/order/order.ts'
import { differenceInWords, explainedBy, isFresh, type SymbolState } from '#domain/position/symbol-state.ts'
import { endedUnconfirmed, unknownAtBroker } from '#domain/order/changes.ts'

const PAUSE = { first: 10_000, most: 900_000 }
const MISSES_TO_REPORT = 2
const MISSES_THAT_END = 4

export interface Missed {
  times: number
  /** Milliseconds since the first of these answers. */
  lasting: number
}

/** Orders that the broker did not know at any request of this process. */
export class UnknownOrders {
  readonly #missed = new Map<string, { times: number; since: number; askAgainAt: number }>()

  mustBeAsked(clientOrderId: string, now: number): boolean {
    return now >= (this.#missed.get(clientOrderId)?.askAgainAt ?? 0)
  }

  miss(clientOrderId: string, now: number): Missed & { mustNotify: boolean; hasEnded: boolean } {
    const { times: before, since } = this.#missed.get(clientOrderId) ?? { times: 0, since: now }
    const times = before + 1
    const lasting = now - since
    const hasEnded = times >= MISSES_THAT_END && lasting >= HIDDEN_ORDER_PATIENCE_MS
    // The pause of a comparison, until the order can be ended.
    const pause = hasEnded ? pauseAfter(times - MISSES_THAT_END + 1, PAUSE) : PAUSE.first
    this.#missed.set(clientOrderId, { times, since, askAgainAt: now + pause })
    return { times, lasting, mustNotify: times === MISSES_TO_REPORT, hasEnded }
  }

  find(clientOrderId: string): void {
    this.#missed.delete(clientOrderId)
  }
}

/**
 * Ends an order that its broker has not known for long enough: by its executions as filled or in part, else as
 * rejected. Only then does an exit follow. Null where the position says that the order may have filled or works: its
 * owner is asked.
 */
export async function endUnconfirmed(
  { em, broker, accountId }: { em: EntityManager; broker: Broker; accountId: string },
  subject: AlertSubject,
  order: LedgerOrder,
  { times, lasting, listed }: Missed & { listed: readonly OrderReport[] },
): Promise<AppliedReport | null> {
  const { clientOrderId } = order
  const recorded = await recordedOrder(em, accountId, clientOrderId)
  if (recorded === null || isTerminal(recorded.report.status)) return null
  const { report } = recorded
  const position = await broker.getPosition(report.symbol)
  const symbolState = await readSymbolState(em, accountId, report.symbol)
  // The position may lack the fill.
  if (isFresh(symbolState, MAX_POSITION_LAG_MS)) return null
  const doubt = doubtOf(report, position, symbolState, listed)
  if (doubt !== null) {
    await raiseAlert(em, subject, unknownAtBroker(order, doubt))
    return null
  }
  const reason = `Its broker has not known it for ${Math.round(lasting / 1_000)} s, asked ${times} times by its own id and by ours, and nothing says that it has filled`
  return em.fork().transactional(async (inner) => {
    const end = { ...report, status: 'REJECTED' as const, reason }
    const ended = await mergeOrderReport(inner, accountId, end, 'us')
    if (ended?.isGivenUp) await raiseAlert(inner, subject, endedUnconfirmed(order, reason))
    else if (ended !== null) await resolveAlert(inner, subject, 'order_unknown_at_broker', { clientOrderId })
    return ended
  })
}

/** Doubt in words; null where the broker's position is as without the order. */
function doubtOf(
  { clientOrderId, symbol, side }: OrderReport,
  position: BrokerPosition | null,
  symbolState: SymbolState,
  listed: readonly OrderReport[],
): string | null {
  if (explainedBy(symbolState, position).some((order) => order.clientOrderId === clientOrderId))
    return `${differenceInWords(symbolState, position, symbol)}, so it may have filled`
  if (position === null || !isReducing(side)) return null
  const closing = listed.filter((order) => order.symbol === symbol && isReducing(order.side))
  const held = closing.reduce<Decimal>(
    (free, { quantity, filledQuantity }) => subtract(free, subtract(quantity, filledQuantity)),
    subtract(position.quantity, position.availableQuantity),
  )
  return isPositive(held)
    ? `it still holds ${figure(held)} ${symbol} for an order that it does not list`
    : null
}
