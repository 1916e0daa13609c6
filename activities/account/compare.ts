import { fillListings } from '#brokers/fill-listings.ts'
import type { Broker } from '#brokers/port.ts'
import { positionDifferences } from '#db/position/position-differences.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { ordersToCompare, type LedgerOrder } from '#db/order/compared-orders.ts'
import { knownExecutions } from '#db/watch/comparison.ts'
import { readLedgerMark } from '#db/watch/ledger-mark.ts'
import type { PositionDifference } from '#domain/alert/alert.ts'
import { compare, isPositive } from '#domain/money/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import { isOurs, isTerminal, type OrderReport } from '#domain/order/order.ts'

const COMPARED_REACH_MS = 86_400_000
/** Earlier than the restored state, because clocks differ. */
const ROLLBACK_MARGIN_MS = 3_600_000

export interface ComparedOrder {
  known: LedgerOrder | null
  /** Null where the broker does not list the order and has to be asked. */
  listed: OrderReport | null
}

export interface AccountComparison {
  /** Includes foreign orders. */
  open: OrderReport[]
  /** Our open and listed orders, without rejected ones. */
  orders: ComparedOrder[]
  executed: Execution[]
  /** False where the broker has more executions than it listed. */
  isWhole: boolean
  /** Null before the ledger first read the account, when positions cannot be compared either. */
  unknownExecutions: { since: string; found: Execution[] } | null
  positions: PositionDifference[]
}

export interface ComparedAccount {
  em: EntityManager
  broker: Broker
  accountId: string
}

/**
 * Compares ledger and broker of an account without changes. At `since` null it reads only working orders. Throws what
 * the broker or the database throws.
 */
export async function compareAccount(
  { em, broker, accountId }: ComparedAccount,
  since: string | null,
): Promise<AccountComparison> {
  // The ledger is read last, so that a change meanwhile does not look like a difference.
  const open = await broker.listOrders({ status: 'open' })
  const closed = since === null ? [] : await broker.listOrders({ status: 'closed', after: since })
  const held = since === null ? [] : await broker.listPositions()
  const executed: Execution[] = []
  let isWhole = true
  if (since !== null)
    for await (const { fills, hasMore } of fillListings(broker, since)) {
      executed.push(...fills)
      isWhole = !hasMore
    }
  const ours = [...open, ...closed].filter(({ clientOrderId }) => isOurs(clientOrderId))
  const listed = new Map(ours.map((report) => [report.clientOrderId, report]))
  const known = await ordersToCompare(em, accountId, [...listed.keys()], since)
  const orders = known.map((order): ComparedOrder => ({
    known: order,
    listed: listed.get(order.clientOrderId) ?? null,
  }))
  for (const { clientOrderId } of known) listed.delete(clientOrderId)
  for (const report of listed.values()) if (!isRefused(report)) orders.push({ known: null, listed: report })
  const executions = since === null ? null : await knownExecutions(em, accountId, since)
  return {
    open,
    orders,
    executed,
    isWhole,
    unknownExecutions: executions && {
      since: executions.since,
      found: executed.filter(
        ({ executionId, at }) => !executions.ids.has(executionId) && at >= executions.since,
      ),
    },
    positions: executions === null ? [] : await positionDifferences(em, accountId, held),
  }
}

/** Finds an order by the broker's id, then by ours; null when the broker knows neither. */
export const lookUp = async (
  broker: Pick<Broker, 'getOrder' | 'findOrder'>,
  { brokerOrderId, clientOrderId }: Pick<LedgerOrder, 'brokerOrderId' | 'clientOrderId'>,
): Promise<OrderReport | null> =>
  (await broker.getOrder(brokerOrderId)) ?? (await broker.findOrder(clientOrderId))

export const differs = (known: LedgerOrder, report: OrderReport): boolean =>
  known.isGivenUp ||
  isTerminal(report.status) !== known.ended ||
  compare(report.filledQuantity, known.filledQuantity) !== 0

/** A rejected order without fills is not in the ledger. */
const isRefused = ({ status, filledQuantity }: OrderReport): boolean =>
  status === 'REJECTED' && !isPositive(filledQuantity)

/** UTC instant from which the ledger may lack something: a day back, or before its last mark or restoration. */
export async function comparedSince(em: EntityManager, now: number, asked?: string): Promise<string> {
  const mark = await readLedgerMark(em)
  const knownUntil = mark === null ? Infinity : Date.parse(mark.restoredTo ?? mark.markedAt)
  const askedFrom = asked === undefined ? Infinity : Date.parse(asked)
  return new Date(Math.min(now - COMPARED_REACH_MS, knownUntil - ROLLBACK_MARGIN_MS, askedFrom)).toISOString()
}
