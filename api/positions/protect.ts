import { listPositions } from '#db/accounts/positions.ts'
import { findAccountConnection } from '#db/accounts/sync.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { findAdopter, insertAdopted, type NewAdopted } from '#db/signals/adopted.ts'
import { findSignal } from '#db/signals/signals.ts'
import { termsOf } from '#db/signals/terms.ts'
import { isPositive, smaller } from '#domain/decimal.ts'
import { shareCount } from '#domain/figures.ts'
import { changedPlan, type PlanChange } from '#domain/protection-change.ts'
import { planInWords } from '#domain/protection.ts'
import { randomUUID } from 'node:crypto'
import { requireWithinBounds } from '../access/token-bounds.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, validationError } from '../http/errors.ts'
import { requireExitWithinBounds } from '../signals/bounds.ts'
import type { Decided } from '../signals/decision-commands.ts'
import { changeProtection, requireSoundChange, type PlanDeps } from '../signals/protection-commands.ts'
import { timeLeft } from '../temporal/time-left.ts'

/**
 * Shares that no signal owns get a plan: a signal that has only an exit, or a change of that where it is there already. Throws
 * {@link ApiError} ACCOUNT_NOT_FOUND, POSITION_NOT_FOUND, NOTHING_TO_ADOPT, and as `changeProtection()`.
 */
export async function protectPosition(
  deps: PlanDeps,
  caller: Caller,
  { accountId, symbol, change }: { accountId: string; symbol: string; change: PlanChange },
): Promise<Decided> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  requireWithinBounds(principal, { accountId })
  const connection = await inTime(findAccountConnection(em, accountId))
  if (!connection || connection.userId !== principal.userId) throw new ApiError('ACCOUNT_NOT_FOUND')
  const changed = async (signalId: string): Promise<Decided> => {
    const signal = (await inTime(findSignal(em, principal.userId, signalId)))!
    requireExitWithinBounds(principal, signal)
    return changeProtection(deps, caller, signal, change)
  }
  const adopter = await inTime(findAdopter(em, accountId, symbol))
  if (adopter !== null) return changed(adopter)

  const [position] = await inTime(listPositions(em, principal.userId, { accountId, symbol }))
  if (!position) throw new ApiError('POSITION_NOT_FOUND')
  const { shares, asOf } = await inTime(readSymbolBook(deps.database.em.fork(), accountId, symbol))
  const quantity = shares.side === position.side ? smaller(shares.of(null), position.quantity) : '0'
  if (!isPositive(quantity))
    throw new ApiError('NOTHING_TO_ADOPT', {
      message: `All shares of ${symbol} belong to signals, which have or can get exits of their own: GET /signals?symbol=${symbol}`,
    })
  const id = randomUUID()
  const candidate = {
    id,
    accountId,
    symbol,
    action: position.side === 'LONG' ? 'openLong' : 'openShort',
    status: 'executed',
    quantityType: 'fixed',
    avgFillPrice: position.avgCost,
  } as const
  await requireSoundChange(deps, caller, candidate, change)
  const protection = changedPlan(null, change)
  if (protection === null)
    throw validationError([
      fault([], 'required', 'The shares have no plan that could end: give a stop, a target or a trail'),
    ])
  const by = await caller.actorName()
  const adopted: NewAdopted = {
    id,
    userId: principal.userId,
    accountId,
    symbol,
    side: position.side,
    quantity,
    average: position.avgCost,
    protection,
    by,
    tokenId: principal.tokenId,
    received: {
      key: 'received',
      kind: 'received',
      at: asOf,
      message: `${by} gave ${shareCount(quantity)} of ${symbol} that no signal owns an exit plan: ${planInWords(protection)}`,
      data: { requestId: caller.requestId },
    },
  }
  if (!(await inTime(insertAdopted(em, adopted))))
    return changed((await inTime(findAdopter(em, accountId, symbol)))!)
  const signal = (await inTime(findSignal(em, principal.userId, id)))!
  // What is stored is begun by the supervisor, if not now.
  await deps.gateway
    .start(termsOf(signal), timeLeft(caller, deps))
    .catch((error: unknown) =>
      deps.logger.warn({ err: error, signalId: id }, 'the plan is stored, and not begun yet'),
    )
  return { signal, isConfirmed: true }
}
