import { fillListings } from '#brokers/fill-listings.ts'
import type { Broker } from '#brokers/port.ts'
import { positionDifferences } from '#db/position/position-differences.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { ordersToCompare, type LedgerOrder } from '#db/order/compared-orders.ts'
import { knownExecutions } from '#db/watch/comparison.ts'
import { readLedgerMark } from '#db/watch/ledger-mark.ts'
import type { PositionDifference } from '#domain/alert/alert.ts'
import { compare, isPositive } from '#domain/common/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import { isOurs, isTerminal, type OrderReport } from '#domain/order/order.ts'

/** What has ended is compared for so many milliseconds in any case, ... */
const COMPARED_REACH_MS = 86_400_000
/** ... and so many more before the state to which a store was set back, for clocks that differ. */
const SET_BACK_MARGIN_MS = 3_600_000

/** One of both is not null. */
export interface ComparedOrder {
  known: LedgerOrder | null
  /** Null where its broker does not list it, and has to be asked for it ({@link lookUp}). */
  listed: OrderReport | null
}

export interface AccountComparison {
  /** All orders that work by the broker's list, of others too. */
  open: OrderReport[]
  /** Ours: all that work or wait for their workflow, and what the broker lists; without what it has refused. */
  orders: ComparedOrder[]
  executed: Execution[]
  /** These are all: a list may end where it has more. */
  isWhole: boolean
  /** Those that the ledger lacks, since it follows the account. Null before its first reading: positions tell nothing either. */
  unknownExecutions: { since: string; found: Execution[] } | null
  positions: PositionDifference[]
}

export interface ComparedAccount {
  em: EntityManager
  broker: Broker
  accountId: string
}

/**
 * What ledger and broker say of an account, side by side; it changes nothing. From `since` on also what has ended,
 * executions and positions; at null only orders that work. Throws what the broker or the database throws.
 */
export async function compareAccount(
  { em, broker, accountId }: ComparedAccount,
  since: string | null,
): Promise<AccountComparison> {
  // The ledger is read last, so that what changes meanwhile is not taken for a difference.
  const open = await broker.listOrders({ status: 'open' })
  // Those that end between the two questions are in both lists.
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

/** By the broker's id and by ours; null when it knows neither. */
export const lookUp = async (
  broker: Pick<Broker, 'getOrder' | 'findOrder'>,
  { brokerOrderId, clientOrderId }: Pick<LedgerOrder, 'brokerOrderId' | 'clientOrderId'>,
): Promise<OrderReport | null> =>
  (await broker.getOrder(brokerOrderId)) ?? (await broker.findOrder(clientOrderId))

/** A broker's word of an order that the service has ended of itself is always another one. */
export const differs = (known: LedgerOrder, report: OrderReport): boolean =>
  known.isGivenUp ||
  isTerminal(report.status) !== known.ended ||
  compare(report.filledQuantity, known.filledQuantity) !== 0

/** An order that the broker has refused is none by the ledger. */
const isRefused = ({ status, filledQuantity }: OrderReport): boolean =>
  status === 'REJECTED' && !isPositive(filledQuantity)

/** UTC instant: what the ledger may lack reaches back to what was restored, to its last mark, or as far as asked. */
export async function comparedSince(em: EntityManager, now: number, asked?: string): Promise<string> {
  const mark = await readLedgerMark(em)
  const knownUntil = mark === null ? Infinity : Date.parse(mark.restoredTo ?? mark.markedAt)
  const askedFrom = asked === undefined ? Infinity : Date.parse(asked)
  return new Date(Math.min(now - COMPARED_REACH_MS, knownUntil - SET_BACK_MARGIN_MS, askedFrom)).toISOString()
}
