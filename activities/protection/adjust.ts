import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { applyOrderReport, recordedOrder } from '#db/orders/reports.ts'
import { noteResting, readProtection } from '#db/signals/protections.ts'
import { isPositive } from '#domain/decimal.ts'
import { isTerminal } from '#domain/order.ts'
import type { TradeSide } from '#domain/profit.ts'
import { MOST_MOVES } from '#domain/protection-watch.ts'
import { isBetter, restingOrder, type ProtectiveAbilities, type RestingOrder } from '#domain/protection.ts'
import type { Adjusted, AdjustProtectionInput } from '../contract.ts'
import { pricesOf } from './move-stop.ts'

interface AdjustProtectionDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  abilitiesOf(accountId: string): Promise<ProtectiveAbilities>
}

/** Other prices are changed at the broker, where the order stays; another kind, or more shares, need another. */
export async function adjustProtection(
  { em, brokerFor, abilitiesOf }: AdjustProtectionDependencies,
  { signalId, accountId, symbol, clientOrderId, quantity, isPart, mayLoosen }: AdjustProtectionInput,
): Promise<Adjusted> {
  const tracked = await readProtection(em, signalId)
  if (tracked === null || tracked.plan === null) return 'other'
  const { plan, position, best, resting, exit } = tracked
  const abilities = await abilitiesOf(accountId)
  const ofPlan = restingOrder(plan, position, best, { quantity, abilities, resting })
  if (ofPlan === null || resting === null || !isSameKind(ofPlan, resting)) return 'other'
  const wanted = mayLoosen ? ofPlan : noLooser(position.side, ofPlan, resting)
  const broker = await brokerFor(accountId)
  if (isPart && isPositive((await broker.getPosition(symbol))?.availableQuantity ?? '0')) return 'other'
  // Each move makes another order of it at the broker.
  if (exit !== null && exit.moves >= MOST_MOVES) return 'other'
  if (isSame(wanted, resting)) return 'same'
  const recorded = await recordedOrder(em, accountId, clientOrderId)
  if (!recorded || isTerminal(recorded.report.status)) return 'same'
  const { brokerOrderId } = recorded.report
  const asked = await broker.changeOrder(brokerOrderId, pricesOf(wanted))
  if (asked === 'refused') return 'other'
  const report = await broker.findOrder(clientOrderId)
  if (report) await applyOrderReport(em, accountId, report)
  if (asked !== 'requested') return 'same'
  await noteResting(em, signalId, wanted)
  return 'changed'
}

/** Only the figures of an order can be changed. */
const isSameKind = (one: RestingOrder, other: RestingOrder): boolean =>
  one.orderType === other.orderType &&
  one.timeInForce === other.timeInForce &&
  (one.stopLimitPrice === undefined) === (other.stopLimitPrice === undefined)

/** The stop goes no farther away: a person has moved it, or a rolled-back ledger forgot the best price. */
function noLooser(side: TradeSide, wanted: RestingOrder, lies: RestingOrder): RestingOrder {
  const { stopPrice, stopLimitPrice } = lies
  if (wanted.stopPrice === null || stopPrice === null || !isBetter(side, stopPrice, wanted.stopPrice))
    return wanted
  const limitPrice = wanted.orderType === 'stopLimit' ? lies.limitPrice : wanted.limitPrice
  return { ...wanted, stopPrice, limitPrice, ...(stopLimitPrice !== undefined && { stopLimitPrice }) }
}

const isSame = (one: RestingOrder, other: RestingOrder): boolean =>
  PLAN_FIGURES.every((name) => JSON.stringify(one[name] ?? null) === JSON.stringify(other[name] ?? null))
const PLAN_FIGURES = ['limitPrice', 'stopPrice', 'stopLimitPrice', 'trail'] as const
