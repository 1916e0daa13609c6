import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { movedFrom, type TrackedProtection } from '#db/exit/protections.ts'
import { add, subtract, type Decimal } from '#domain/money/decimal.ts'
import { toNearestTick } from '#domain/money/price-tick.ts'
import { isBetter, stopNow, type RestingOrder } from '#domain/exit/protection.ts'
import { protectionMovedEntry, protectionMovedKey } from '#domain/exit/protection-moves.ts'
import { changeResting, type ChangeOutcome } from './change-resting.ts'

/** Moves a stop only nearer to the market, by the levels of this revision; safe to repeat. */
export async function moveStop(
  em: EntityManager,
  broker: Pick<Broker, 'changeOrder' | 'getOrder'>,
  { signalId, revision, best }: Pick<TrackedProtection, 'signalId' | 'revision' | 'best'>,
  stop: Decimal,
): Promise<ChangeOutcome> {
  const at = new Date().toISOString()
  return changeResting({ em, broker }, signalId, async (tracked) => {
    const { protection, position, resting, restingRevision } = tracked
    const from = resting?.stopPrice ?? null
    if (protection === null || resting === null || from === null || tracked.revision !== revision)
      return 'same'
    if (!isBetter(position.side, stop, from)) return 'same'
    const first = (await movedFrom(em, signalId, protectionMovedKey(at))) ?? from
    const { by } = stopNow(protection, position, best) ?? { by: 'stop' }
    const told = protectionMovedEntry(at, { from: first, to: stop, by, best })
    return { to: withStopAt(resting, stop), revision: restingRevision, told }
  })
}

/** Moves a stop; its limit keeps the distance. */
export function withStopAt(resting: RestingOrder, stopPrice: Decimal): RestingOrder {
  const { orderType, limitPrice, stopLimitPrice } = resting
  const moved = (limit: Decimal) => toNearestTick(add(limit, subtract(stopPrice, resting.stopPrice!)))
  return {
    ...resting,
    stopPrice,
    ...(orderType === 'stopLimit' && limitPrice !== null && { limitPrice: moved(limitPrice) }),
    ...(stopLimitPrice !== undefined && { stopLimitPrice: moved(stopLimitPrice) }),
  }
}
