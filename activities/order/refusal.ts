import { readEntryMarket } from '#brokers/entry-market.ts'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerPricesUnavailable,
  type Broker,
  type BrokerRejection,
} from '#brokers/port.ts'
import { shortOfFunds, type OrderCosts } from '#domain/buying-power.ts'
import type { ShownPosition } from '#domain/closing.ts'
import type { DenialCode } from '#domain/denial.ts'
import { accountMayVerdict } from '#domain/account-may-verdict.ts'
import { atMarket, brokerVerdicts } from '#domain/fact-verdicts.ts'
import { USUAL_COLLAR } from '#domain/market-price.ts'
import { isReducing, parseClientOrderId, type OrderRequest } from '#domain/order.ts'
import type { BrokerKeeping } from '#domain/protection.ts'
import { firstDenial } from '#domain/risk.ts'

interface ExplainDependencies {
  brokerFor(accountId: string): Promise<Broker>
  zoneOf(accountId: string): Promise<string>
  orderCostsOf(accountId: string): Promise<OrderCosts>
  keepingOf(accountId: string): Promise<BrokerKeeping>
  /** Milliseconds since the epoch. */
  now(): number
}

/**
 * Why a broker has refused an order, by the rules that a dry run tells, from what the broker says now: no
 * order is kept waiting for these questions before it is sent. Null where no rule sees a reason, or the broker cannot be
 * asked: then its own words stand.
 *
 * @param position see {@link positionMet}
 */
export async function explainRefusal(
  { brokerFor, zoneOf, orderCostsOf, keepingOf, now }: ExplainDependencies,
  accountId: string,
  request: OrderRequest,
  { code, funds, brokerMessage }: Pick<BrokerRejection, 'code' | 'funds' | 'brokerMessage'>,
  position: ShownPosition | null,
): Promise<{ code: DenialCode; detail: string } | null> {
  const isOpposed = code === 'OPPOSITE_ORDER'
  // The answer of an exit to a refusal is decided by its workflow.
  if (parseClientOrderId(request.clientOrderId)?.role === 'exit') return null
  if (isReducing(request.side) && !isOpposed) return null
  if (funds !== null) return { code, detail: shortOfFunds(funds.needed, funds.available) }
  const lacksFunds = code === 'INSUFFICIENT_FUNDS'
  const needs = {
    account: !isReducing(request.side),
    quote: lacksFunds,
    openOrders: isOpposed,
    asset: !isReducing(request.side),
    lastPrice: false,
    assetClass: false,
    borrow: false,
    marketPhase: false,
    sessions: false,
  }
  const at = now()
  const none = async () => []
  try {
    const broker = await brokerFor(accountId)
    const moment = {
      sessions: none,
      zone: await zoneOf(accountId),
      orderCosts: await orderCostsOf(accountId),
      keeping: await keepingOf(accountId),
      now: at,
      prices: { askedAt: at, recentSessions: none },
    }
    const market = await readEntryMarket(broker, request, needs, moment)
    const { buyAt } = atMarket(market, null, USUAL_COLLAR)
    const action = isReducing(request.side) ? 'closeLong' : request.side === 'BUY' ? 'openLong' : 'openShort'
    const permissions = { account: market.accountPermissions, asset: market.assetPermissions }
    const verdicts = [
      accountMayVerdict({ ...request, action }, null, permissions, {
        orderCosts: market.orderCosts,
        buyAt,
        leavesEarly: false,
      }),
      ...brokerVerdicts(request, { ...market, position }, buyAt),
    ]
    const denied = firstDenial(verdicts)
    if (denied !== null || !lacksFunds) return denied
    const figures = verdicts.find(({ rule, outcome }) => rule === 'buyingPower' && outcome === 'passed')
    return figures ? { code, detail: `${brokerMessage}. ${figures.message}` } : null
  } catch (error) {
    const isAway =
      error instanceof BrokerBusy ||
      error instanceof BrokerOutcomeUnknown ||
      error instanceof BrokerCredentialsError ||
      error instanceof BrokerPricesUnavailable
    if (isAway) return null
    throw error
  }
}

/**
 * So long after the decision to send it an opening order waits for the close of a position of the other side, in milliseconds: as
 * long as a close waits for the position that its opening makes.
 */
export const CLOSE_PATIENCE = 15_000
/** Shortest and longest pause between two attempts, in milliseconds. */
const PAUSES = [500, 4_000] as const

/** The position that a refused order which opens one meets; null where there is none, or it cannot be seen, as when it has just been closed. */
export const positionMet = async (broker: Broker, request: OrderRequest): Promise<ShownPosition | null> =>
  isReducing(request.side) ? null : broker.getPosition(request.symbol).catch(() => null)

/**
 * How many milliseconds an opening order of a signal pauses before it is sent again, when a position of the other side was in the way:
 * its close may be under way, or have been sent beside it and come later. Null when it waits no longer; a person who places an order
 * sees the refusal at once.
 *
 * @param elapsed milliseconds since it was decided to send it
 */
export function pauseForClose(
  { clientOrderId }: OrderRequest,
  elapsed: number,
  patience: number,
): number | null {
  const pause = Math.min(Math.max(elapsed, PAUSES[0]), PAUSES[1], patience - elapsed)
  const isOfSignal = parseClientOrderId(clientOrderId) !== null
  return isOfSignal && pause > 0 ? pause : null
}
