import { BrokerBusy, type Broker } from '#brokers/port.ts'
import { isPositive } from '#domain/money/decimal.ts'
import type { CancelOrderInput, CancelOrderResult } from '../contract.ts'
import { busy, outcomeUnknown } from '../failures.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { POSITION_LOOK_EVERY_MS } from '#domain/time/broker-clock.ts'
import { isStillThere } from '#domain/position/closing.ts'
import { parseClientOrderId, type OrderRequest, isTerminal } from '#domain/order/order.ts'
import {
  differenceInWords,
  unseenShares,
  ageAt,
  nameOfOrder,
  type LiveOrder,
} from '#domain/position/symbol-state.ts'
import { readGivingWay, recordCancelledFor } from '#db/exit/exits.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import type { GivingWay } from '#domain/exit/flat-by-close.ts'

/** Cancels an order; safe to repeat. Fills may still come until it has ended (FIX). */
export async function cancelOrder(
  { brokerFor }: { brokerFor(accountId: string): Promise<Broker> },
  { accountId, brokerOrderId, onlyIfUnfilled }: CancelOrderInput,
): Promise<CancelOrderResult> {
  const broker = await brokerFor(accountId)
  try {
    if (onlyIfUnfilled) {
      const report = await broker.getOrder(brokerOrderId)
      if (report && isPositive(report.filledQuantity)) return { report }
    }
    await broker.cancelOrder(brokerOrderId)
    return { report: await broker.getOrder(brokerOrderId) }
  } catch (error) {
    throw error instanceof BrokerBusy ? busy(error) : error
  }
}

/**
 * Checks that broker and ledger still have the shares that a closing order takes. Throws as the broker does, and a
 * retryable failure while executions are missing for an order that cannot be sized again.
 */
export async function isStillCovered(
  { em, brokerFor }: { em: EntityManager; brokerFor(accountId: string): Promise<Broker> },
  accountId: string,
  request: OrderRequest,
): Promise<boolean> {
  const broker = await brokerFor(accountId)
  const position = await broker.getPosition(request.symbol)
  const symbolState = await readSymbolState(em, accountId, request.symbol)
  const isExit = parseClientOrderId(request.clientOrderId)?.role === 'exit'
  if (!isExit && isPositive(unseenShares(symbolState, position)))
    throw outcomeUnknown(differenceInWords(symbolState, position, request.symbol), POSITION_LOOK_EVERY_MS)
  return isStillThere(symbolState, position, request)
}

/** The feed reports most ends at once. */
const BLOCKING_LOOK_EVERY_MS = 1_000
const BLOCKING_ASKED_AGAIN_MS = 5_000
export const CANCEL_ROUNDS = 4

export interface CancelBlockingDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  now(): number
}

/** Throws a retryable failure until all have ended: a cancel is accepted before it is done. */
export async function cancelBlockingOrders(
  { em, brokerFor, now }: CancelBlockingDependencies,
  accountId: string,
  closer: string,
  orders: readonly LiveOrder[],
): Promise<void> {
  const broker = await brokerFor(accountId)
  const working = await Promise.all(orders.map((order) => end(broker, order)))
  const left = orders.filter((_, index) => working[index])
  if (left.length > 0) throw stillBlocked(left.map(nameOfOrder))

  async function end(from: Broker, order: LiveOrder): Promise<boolean> {
    const { brokerOrderId } = order
    if (brokerOrderId === null) return true
    await recordCancelledFor(em, order, closer, new Date(now()).toISOString())
    try {
      await from.cancelOrder(brokerOrderId)
      const report = await from.getOrder(brokerOrderId)
      if (!report) return true
      await applyOrderReport(em, accountId, report)
      return !isTerminal(report.status)
    } catch (error) {
      throw error instanceof BrokerBusy ? busy(error) : error
    }
  }
}

const stillBlocked = (names: readonly string[]) =>
  outcomeUnknown(
    `waits for the end of ${names.join(' and of ')}, which blocks this order`,
    BLOCKING_LOOK_EVERY_MS,
  )

/** Throws a retryable failure while a cancel is a moment old. */
export async function givingWayTo(
  em: EntityManager,
  place: { accountId: string; symbol: string },
  closer: string,
): Promise<GivingWay | null> {
  const found = await readGivingWay(em, place, closer)
  if (found && found.working.length > 0 && ageAt(found, found.askedAt) < BLOCKING_ASKED_AGAIN_MS)
    throw stillBlocked(found.working)
  return found
}
