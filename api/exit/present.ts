import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { protectionsOf, type TrackedProtection } from '#db/exit/protections.ts'
import { isPositive, multiply } from '#domain/money/decimal.ts'
import { partsKeptHere } from '#domain/exit/kept-levels.ts'
import {
  isAtBreakEven,
  isTrailing,
  lossAt,
  stopNow,
  targetPrice,
  type Level,
  type Protection,
} from '#domain/exit/protection.ts'
import { toJsonNumber } from '../http/presentation.ts'
import type { LevelsAnswer, ProtectionAnswer } from '#contract/exit/answers.ts'

export type LevelsBySignal = ReadonlyMap<string, LevelsAnswer>

export async function readLevels(
  em: EntityManager,
  userId: string,
  signals: readonly Signal[],
): Promise<LevelsBySignal> {
  const ids = signals.filter(({ protection }) => protection != null).map(({ id }) => id)
  return levelsBySignal((await protectionsOf(em, userId, ids)).values())
}

export function levelsBySignal(tracked: Iterable<TrackedProtection>): LevelsBySignal {
  const shown = [...tracked].flatMap((each) => {
    const protection = presentLevels(each)
    return protection === null ? [] : ([[each.signalId, protection]] as const)
  })
  return new Map(shown)
}

export const presentProtection = ({ trail, ...protection }: Protection): ProtectionAnswer => ({
  stop: protection.stop && presentLevel(protection.stop),
  target: protection.target && presentLevel(protection.target),
  trail: trail && presentTrail(trail),
  breakEven: protection.breakEven && presentLevel(protection.breakEven),
  until: protection.until,
})

const presentTrail = ({ after, ...distance }: NonNullable<Protection['trail']>) => ({
  ...presentLevel(distance),
  ...(after && { after: presentLevel(after) }),
})

export type InNumbers<Of> = Of extends unknown ? { [Name in keyof Of]: number } : never

export const presentLevel = <Of extends Level>(level: Of): InNumbers<Of> =>
  Object.fromEntries(
    Object.entries(level).map(([name, figure]) => [name, toJsonNumber(figure)]),
  ) as InNumbers<Of>

function presentLevels(tracked: TrackedProtection): LevelsAnswer | null {
  const { protection, position, best, price, kept, quantity } = tracked
  if (protection === null || !isPositive(quantity)) return null
  const { side, average } = position
  const stop = stopNow(protection, position, best)
  return {
    side,
    quantity: toJsonNumber(quantity),
    average: toJsonNumber(average),
    best: toJsonNumber(best),
    stop: stop && { price: toJsonNumber(stop.price), by: stop.by },
    target: toJsonNumber(targetPrice(protection, position)),
    trailing: isTrailing(protection, position, best),
    breakEven: isAtBreakEven(protection, position, best),
    atBroker: presentAtBroker(tracked),
    keptHere: partsKeptHere({ protection, position, best, kept }),
    price: price && { price: toJsonNumber(price.price), at: price.at },
    risk: toJsonNumber(stop && multiply(lossAt(position, stop.price), quantity)),
    worksInExtendedHours: false,
  }
}

/** Last noted prices; the ledger has those of the placed order. */
function presentAtBroker({ exit, kept }: TrackedProtection): LevelsAnswer['atBroker'] {
  if (exit === null || exit.purpose === 'timed' || kept === null || kept === 'all') return null
  const { orderType, timeInForce, stopPrice, limitPrice } = kept
  return {
    orderId: exit.orderId,
    orderType,
    quantity: toJsonNumber(exit.open),
    stopPrice: toJsonNumber(stopPrice ?? exit.stopPrice),
    limitPrice: toJsonNumber(limitPrice ?? exit.limitPrice),
    timeInForce,
  }
}
