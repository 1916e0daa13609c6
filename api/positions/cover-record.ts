import { listCovers, type Cover } from '#db/accounts/position-cover.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Position } from '#db/entities/index.ts'
import { protectionsOf } from '#db/signals/protections.ts'
import { add, smaller, subtract } from '#domain/decimal.ts'
import { toJsonNumber } from '../http/presentation.ts'
import { plansOf, type Plans } from '../signals/protection-record.ts'
import type { PositionProtectionAnswer } from '#contract/positions/answers.ts'

export interface Covers {
  covers: readonly Cover[]
  plans: Plans
}

export async function readCovers(em: EntityManager, userId: string): Promise<Covers> {
  const covers = await listCovers(em, userId)
  const ids = covers.flatMap(({ kind, signalId }) => (kind === 'plan' && signalId !== null ? [signalId] : []))
  return { covers, plans: plansOf((await protectionsOf(em, userId, ids)).values()) }
}

export function presentCover(position: Position, { covers, plans }: Covers): PositionProtectionAnswer {
  const own = covers.filter(
    ({ accountId, symbol, side }) =>
      accountId === position.accountId && symbol === position.symbol && side === position.side,
  )
  const covered = own.map(({ quantity }) => quantity).reduce(add, '0')
  return {
    protectedBy: own.flatMap(({ signalId }) => {
      const plan = signalId === null ? undefined : plans.get(signalId)
      return plan === undefined || signalId === null ? [] : [{ signalId, ...plan }]
    }),
    closing: own
      .filter(({ kind }) => kind !== 'plan')
      .map(({ signalId, orderId, quantity, at }) => ({
        signalId,
        orderId,
        quantity: toJsonNumber(quantity),
        at,
      })),
    unprotected: toJsonNumber(subtract(position.quantity, smaller(covered, position.quantity))),
  }
}
