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
import type { DenialCode } from '#domain/denial.ts'
import { brokerVerdicts, costAtMarket } from '#domain/fact-verdicts.ts'
import { USUAL_COLLAR } from '#domain/market-price.ts'
import { isReducing, parseClientOrderId, type OrderRequest } from '#domain/order.ts'
import { firstDenial } from '#domain/risk.ts'

interface ExplainDependencies {
  brokerFor(accountId: string): Promise<Broker>
  zoneOf(accountId: string): Promise<string>
  orderCostsOf(accountId: string): Promise<OrderCosts>
  /** Milliseconds since the epoch. */
  now(): number
}

/**
 * Why a broker has refused an order against which no position stands, by the rules that a dry run tells, from what the broker says now: no
 * order is kept waiting for these questions before it is sent. Null where no rule sees a reason, or the broker cannot be
 * asked: then its own words stand.
 */
export async function explainRefusal(
  { brokerFor, zoneOf, orderCostsOf, now }: ExplainDependencies,
  accountId: string,
  request: OrderRequest,
  { code, funds, brokerMessage }: Pick<BrokerRejection, 'code' | 'funds' | 'brokerMessage'>,
): Promise<{ code: DenialCode; detail: string } | null> {
  const isOpposed = code === 'OPPOSITE_ORDER'
  // What an exit does about a refusal is decided by its workflow.
  if (parseClientOrderId(request.clientOrderId)?.role === 'exit') return null
  if (isReducing(request.side) && !isOpposed) return null
  if (funds !== null) return { code, detail: shortOfFunds(funds.needed, funds.available) }
  const lacksFunds = code === 'INSUFFICIENT_FUNDS'
  const needs = {
    account: lacksFunds || request.side === 'SELL_SHORT',
    quote: lacksFunds,
    openOrders: isOpposed,
    asset: !isReducing(request.side),
    lastPrice: false,
    assetClass: false,
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
      now: at,
      prices: { askedAt: at, recentSessions: none },
    }
    const market = await readEntryMarket(broker, request, needs, moment)
    const verdicts = brokerVerdicts(request, market, costAtMarket(market, null, USUAL_COLLAR))
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
