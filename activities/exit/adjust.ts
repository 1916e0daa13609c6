import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { compare, isPositive } from '#domain/money/decimal.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import { MOST_MOVES } from '#domain/exit/protection-watch.ts'
import {
  isBetter,
  isSameKind,
  restingOrder,
  type ProtectiveAbilities,
  type RestingOrder,
} from '#domain/exit/protection.ts'
import { unclaimedBy } from '#domain/position/symbol-state.ts'
import type { Adjusted, AdjustProtectionInput } from '../contract.ts'
import { changeResting } from './change-resting.ts'

const CLOSES = { LONG: 'SELL', SHORT: 'BUY_TO_COVER' } as const

interface AdjustProtectionDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  abilitiesOf(accountId: string): Promise<ProtectiveAbilities>
  now?(): number
}

/** Changes the prices of the working order at the broker, where possible. */
export async function adjustProtection(
  { em, brokerFor, abilitiesOf, ...clock }: AdjustProtectionDependencies,
  { signalId, accountId, symbol, clientOrderId, quantity, isPart }: AdjustProtectionInput,
): Promise<Adjusted> {
  const abilities = await abilitiesOf(accountId)
  const broker = await brokerFor(accountId)
  const outcome = await changeResting({ em, broker, ...clock }, signalId, async (tracked) => {
    const { protection, position, best, resting, exit, revision, restingRevision } = tracked
    const ofLevels = protection && restingOrder(protection, position, best, { quantity, abilities, resting })
    if (ofLevels === null || resting === null || !isSameKind(ofLevels, resting)) return 'refused'
    if (isPart && isPositive((await broker.getPosition(symbol))?.availableQuantity ?? '0')) {
      const own = unclaimedBy(await readSymbolState(em, accountId, symbol), signalId, CLOSES[position.side])
      if (compare(own, exit?.open ?? quantity) > 0) return 'refused'
    }
    // Each move makes a new order at the broker.
    if (exit !== null && exit.moves >= MOST_MOVES) return 'refused'
    if (exit?.clientOrderId !== clientOrderId) return 'ended'
    const to = revision === restingRevision ? noLooser(position.side, ofLevels, resting) : ofLevels
    return { to, revision }
  })
  if (outcome === 'refused' || outcome === 'untracked') return 'other'
  return outcome === 'ended' ? 'same' : outcome
}

/** Keeps a better stop at the broker: a person moved it, or a rolled-back ledger lacks the best price. */
function noLooser(side: TradeSide, wanted: RestingOrder, lies: RestingOrder): RestingOrder {
  const { stopPrice, stopLimitPrice } = lies
  if (wanted.stopPrice === null || stopPrice === null || !isBetter(side, stopPrice, wanted.stopPrice))
    return wanted
  const limitPrice = wanted.orderType === 'stopLimit' ? lies.limitPrice : wanted.limitPrice
  return { ...wanted, stopPrice, limitPrice, ...(stopLimitPrice !== undefined && { stopLimitPrice }) }
}
