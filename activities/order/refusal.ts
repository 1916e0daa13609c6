import { readEntryMarket } from '#brokers/entry-market.ts'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerPricesUnavailable,
  type Broker,
  type BrokerRejection,
} from '#brokers/port.ts'
import { shortOfFunds, type OrderCosts } from '#domain/risk/buying-power.ts'
import type { ShownPosition } from '#domain/position/closing.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import { accountMayVerdict } from '#domain/risk/permission-verdict.ts'
import { atMarket, brokerVerdicts } from '#domain/risk/broker-data-checks.ts'
import { USUAL_COLLAR } from '#domain/risk/market-price.ts'
import { isReducing, parseClientOrderId, type OrderRequest } from '#domain/order/order.ts'
import type { BrokerKeeping } from '#domain/exit/protection.ts'
import { firstDenial } from '#domain/risk/risk.ts'

interface ExplainDependencies {
  brokerFor(accountId: string): Promise<Broker>
  zoneOf(accountId: string): Promise<string>
  orderCostsOf(accountId: string): Promise<OrderCosts>
  keepingOf(accountId: string): Promise<BrokerKeeping>
  now(): number
}

/**
 * Explains a broker's rejection by the rules of a dry run. Null where no rule sees a reason, or the broker cannot be
 * asked: then its own words count.
 */
export async function explainRefusal(
  { brokerFor, zoneOf, orderCostsOf, keepingOf, now }: ExplainDependencies,
  accountId: string,
  request: OrderRequest,
  { code, funds, brokerMessage }: Pick<BrokerRejection, 'code' | 'funds' | 'brokerMessage'>,
  position: ShownPosition | null,
): Promise<{ code: DenialCode; detail: string } | null> {
  const isOpposed = code === 'OPPOSITE_ORDER'
  // An exit's workflow handles a rejection itself.
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

/** Milliseconds after the decision. */
export const CLOSE_PATIENCE = 15_000
/** Milliseconds. */
const PAUSES = [500, 4_000] as const

export const positionMet = async (broker: Broker, request: OrderRequest): Promise<ShownPosition | null> =>
  isReducing(request.side) ? null : broker.getPosition(request.symbol).catch(() => null)

/**
 * Milliseconds until an opening that an opposite position blocked is sent again. Null when it waits no longer; a person
 * sees the rejection at once.
 * @param elapsed milliseconds since its decision
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
