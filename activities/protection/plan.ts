import type { EntityManager } from '#db/engine/database.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { forgetCrossed, noteResting, readProtection, trackProtection } from '#db/signals/protections.ts'
import { isPositive, smaller } from '#domain/decimal.ts'
import type { ExitTerms } from '#domain/exit.ts'
import { keepsLevel } from '#domain/protection-watch.ts'
import {
  crossedLevel,
  restingOrder,
  targetPrice,
  type CrossedLevel,
  type ProtectiveAbilities,
} from '#domain/protection.ts'
import type { PlanProtectionInput } from '../contract.ts'
import { outcomeUnknown } from '../failures.ts'

interface PlanProtectionDependencies {
  em: EntityManager
  abilitiesOf(accountId: string): Promise<ProtectiveAbilities>
}

/** Null where none is needed, and for an exit at market or its time. Notes that no exit order works then. */
export async function planProtection(
  { em, abilitiesOf }: PlanProtectionDependencies,
  { signalId, accountId, symbol, isFor, quantity }: PlanProtectionInput,
): Promise<{ order: ExitTerms | null }> {
  const tracked = await trackProtection(em, signalId)
  const asksPlan = isFor === 'plan' || isFor === 'target'
  if (tracked === null && !asksPlan) return { order: null }
  if (tracked === null) throw outcomeUnknown('the average price of the entry is not known yet')
  // A crossed level is acted upon once its order is at the broker.
  if (isFor !== 'stop' && isFor !== 'target') await noteResting(em, signalId, null)
  const { plan, position, best } = tracked
  if (plan === null || !asksPlan) return { order: null }
  if (isFor === 'target') {
    const limitPrice = targetPrice(plan, position)
    return { order: limitPrice && { orderType: 'limit', limitPrice, stopPrice: null, timeInForce: 'day' } }
  }
  const { shares } = await readSymbolBook(em, accountId, symbol)
  const own = smaller(shares.of(signalId), quantity)
  const size = isPositive(own) ? own : quantity
  const abilities = await abilitiesOf(accountId)
  return { order: restingOrder(plan, position, best, { quantity: size, abilities }) }
}

export async function judgeLevel(
  em: EntityManager,
  { signalId, crossed }: { signalId: string; crossed: CrossedLevel },
): Promise<CrossedLevel['level'] | null> {
  const tracked = await readProtection(em, signalId)
  if (tracked === null || tracked.plan === null) return null
  const { plan, position, best, resting, exit } = tracked
  // The noted order may have ended.
  const lies = exit && keepsLevel(exit.purpose) ? resting : null
  const reached = crossedLevel(plan, position, best, lies, crossed.price)
  // It may be reached again.
  if (reached === null && tracked.crossed) await forgetCrossed(em, signalId, tracked.crossed)
  return reached?.level ?? null
}
