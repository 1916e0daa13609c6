import { listPositions } from '#db/accounts/positions.ts'
import { findAccountConnection } from '#db/accounts/sync.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { findAdopter, insertAdopted, type NewAdopted } from '#db/signals/adopted.ts'
import type { Position } from '#db/entities/index.ts'
import { findSignal, findSignals } from '#db/signals/signals.ts'
import { termsOf } from '#db/signals/terms.ts'
import { isPositive, smaller, type Decimal } from '#domain/decimal.ts'
import { shareCount } from '#domain/figures.ts'
import { changedPlan, type PlanChange } from '#domain/protection-change.ts'
import { planInWords } from '#domain/protection.ts'
import { randomUUID } from 'node:crypto'
import { isOwnOf, requireWithinBounds } from '../access/token-bounds.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, validationError } from '../http/errors.ts'
import { requireExitWithinBounds } from '../signals/bounds.ts'
import type { Decided } from '../signals/decision-commands.ts'
import { changeProtection, requireSoundChange, type PlanDeps } from '../signals/protection-commands.ts'
import { timeLeft } from '../temporal/time-left.ts'

/**
 * Shares without an exit get a plan: those that no signal owns a signal that has only an exit, or a change of that where it is
 * there already, unless nobody `adopts`; those of own signals without an exit the plan at these. Throws {@link ApiError} ACCOUNT_NOT_FOUND, POSITION_NOT_FOUND,
 * NOTHING_TO_ADOPT, and as `changeProtection()`.
 */
export async function protectPosition(
  deps: PlanDeps,
  caller: Caller,
  {
    accountId,
    symbol,
    change,
    adopts = true,
  }: { accountId: string; symbol: string; change: PlanChange; adopts?: boolean },
): Promise<Decided> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  requireWithinBounds(principal, { accountId })
  const connection = await inTime(findAccountConnection(em, accountId))
  if (!connection || connection.userId !== principal.userId) throw new ApiError('ACCOUNT_NOT_FOUND')
  const adopter = await inTime(findAdopter(em, accountId, symbol))
  const [position] = await inTime(listPositions(em, principal.userId, { accountId, symbol }))
  if (!position && adopter === null) throw new ApiError('POSITION_NOT_FOUND')
  const { shares, asOf } = await inTime(readSymbolBook(deps.database.em.fork(), accountId, symbol))
  const isHeld = position !== undefined && shares.side === position.side
  const owners = isHeld ? shares.lots.flatMap(({ owner }) => owner ?? []) : []
  const owning = await inTime(findSignals(em, principal.userId, [...new Set([adopter ?? [], owners].flat())]))
  const planned = owning.filter(({ id, tokenId, exitRule, protection }) =>
    id === adopter ? adopts : isOwnOf(principal, tokenId) && exitRule == null && protection == null,
  )
  for (const signal of planned) requireExitWithinBounds(principal, signal)
  for (const signal of planned) await requireSoundChange(deps, caller, signal, change)
  const ofNobody = isHeld ? smaller(shares.of(null), position.quantity) : '0'
  const adopted =
    adopts && isPositive(ofNobody)
      ? await adopt(deps, caller, { position: position!, quantity: ofNobody, at: asOf, change })
      : null
  const changed: Decided[] = []
  for (const signal of planned) changed.push(await changeProtection(deps, caller, signal, change))
  const first = adopted ?? changed.find(({ signal }) => signal.id === adopter) ?? changed[0]
  if (first === undefined)
    throw new ApiError('NOTHING_TO_ADOPT', {
      message: `All shares of ${symbol} belong to signals that have exits of their own: GET /signals?symbol=${symbol}`,
    })
  return { ...first, isConfirmed: changed.every(({ isConfirmed }) => isConfirmed) }
}

async function adopt(
  deps: PlanDeps,
  caller: Caller,
  {
    position,
    quantity,
    at,
    change,
  }: { position: Position; quantity: Decimal; at: string; change: PlanChange },
): Promise<Decided> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { accountId, symbol, side, avgCost: average } = position
  const id = randomUUID()
  const candidate = {
    id,
    accountId,
    symbol,
    action: side === 'LONG' ? 'openLong' : 'openShort',
    status: 'executed',
    quantityType: 'fixed',
    avgFillPrice: average,
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
    side,
    quantity,
    average,
    protection,
    by,
    tokenId: principal.tokenId,
    received: {
      key: 'received',
      kind: 'received',
      at,
      message: `${by} gave ${shareCount(quantity)} of ${symbol} that no signal owns an exit plan: ${planInWords(protection)}`,
      data: { requestId: caller.requestId },
    },
  }
  const isNew = await inTime(insertAdopted(em, adopted))
  const signalId = isNew ? id : (await inTime(findAdopter(em, accountId, symbol)))!
  const signal = (await inTime(findSignal(em, principal.userId, signalId)))!
  if (!isNew) return changeProtection(deps, caller, signal, change)
  // What is stored is begun by the supervisor, if not now.
  await deps.gateway
    .start(termsOf(signal), timeLeft(caller, deps))
    .catch((error: unknown) =>
      deps.logger.warn({ err: error, signalId: id }, 'the plan is stored, and not begun yet'),
    )
  return { signal, isConfirmed: true }
}
