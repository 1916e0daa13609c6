import type { BrokerPosition } from '#brokers/port.ts'
import { unseenPositions, type UnseenPosition } from '#db/position/missing-at-broker.ts'
import { findAccountConnection } from '#db/account/sync.ts'
import type { RequestKey } from '#db/signal/requests.ts'
import type { OrderRequestByHand } from '#domain/signal/by-hand.ts'
import { smaller, type Decimal, isPositive, shareCount } from '#domain/money/decimal.ts'
import { closingDenial } from '../access/denied-requests.ts'
import { requireWithinBounds, isOwnOf } from '../access/policy.ts'
import { askBroker, connectTo, type BrokerAccess } from '../broker/asked.ts'
import { within, DeadlinePassed } from '../http/deadline.ts'
import { ApiError, fault, validationError } from '#contract/errors.ts'
import { earlierPlacement, storeOrder, type OrderDeps, type Placement } from '../order/commands.ts'
import type { Caller } from '../http/caller.ts'
import { listPositions } from '#db/position/positions.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { findAdopter, insertAdopted, type NewAdopted } from '#db/signal/adopted.ts'
import type { Position, Signal } from '#db/entities/index.ts'
import { endedAmong } from '#db/signal/record.ts'
import { findSignal, findSignals } from '#db/signal/signals.ts'
import { termsOf } from '#db/signal/terms.ts'
import { isFailed } from '#domain/signal/signal.ts'
import { changedLevels, type ExitChange } from '#domain/exit/protection-check.ts'
import { exitInWords, type Protection } from '#domain/exit/protection.ts'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { requireExitWithinBounds } from '../signal/new-signal.ts'
import type { Decided } from '../signal/decide.ts'
import { changeProtection, requireSoundChange, type ExitDeps } from '../exit/commands.ts'
import { timeLeft } from '../temporal/calls.ts'

/** Broker's share of the time until the answer is due. */
const BROKERS_SHARE = 0.5

export interface Closing {
  accountId: string
  symbol: string
  /** Shares; null for all. */
  quantity: Decimal | null
}

export interface ClosingPlacement extends Placement {
  unseen: UnseenPosition | null
}

/**
 * Closes a position in any trading mode. The order is sized again right before sending, so that it never flips, and
 * waits for a position missing at the broker. Throws ACCOUNT_NOT_FOUND, POSITION_NOT_FOUND, POSITIONS_UNAVAILABLE,
 * BROKER_CREDENTIALS_INVALID, IDEMPOTENCY_KEY_REUSED.
 */
export async function closePosition(
  deps: OrderDeps & BrokerAccess,
  caller: Caller,
  closing: Closing,
  request: RequestKey | null,
): Promise<ClosingPlacement> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  requireWithinBounds(principal, { accountId: closing.accountId })
  const rejection = await inTime(closingDenial(em, principal, closing.accountId))
  if (rejection) throw rejection
  const earlier = await earlierPlacement(deps, caller, request)
  if (earlier) return { ...earlier, unseen: null }

  const shown = await readPosition(deps, caller, closing)
  const [unseen = null] = await inTime(
    unseenPositions(em, closing.accountId, closing.symbol, shown === null ? [] : [shown]),
  )
  const position = unseen ?? shown
  if (position === null) throw new ApiError('POSITION_NOT_FOUND')
  return { ...(await storeOrder(deps, caller, 'close', closingOrder(closing, position), request)), unseen }
}

async function readPosition(
  deps: OrderDeps & BrokerAccess,
  { em, principal, receivedAt, beforeDatabaseDeadline: inTime }: Caller,
  { accountId, symbol }: Closing,
): Promise<BrokerPosition | null> {
  const connection = await inTime(findAccountConnection(em, accountId))
  if (!connection || connection.userId !== principal.userId) throw new ApiError('ACCOUNT_NOT_FOUND')
  const left = receivedAt + deps.answerDeadline * BROKERS_SHARE - performance.now()
  try {
    const broker = connectTo(deps, connection)
    return await within(
      left,
      'the broker',
      askBroker(() => broker.getPosition(symbol)),
    )
  } catch (error) {
    const isOutage = error instanceof ApiError && error.code === 'BROKER_ERROR'
    if (isOutage || error instanceof DeadlinePassed)
      throw new ApiError('POSITIONS_UNAVAILABLE', { headers: { 'Retry-After': '2' }, cause: error })
    throw error
  }
}

const closingOrder = (
  { accountId, quantity }: Closing,
  { symbol, side, quantity: held }: Pick<BrokerPosition, 'symbol' | 'side' | 'quantity'>,
): OrderRequestByHand => ({
  accountId,
  symbol,
  side: side === 'LONG' ? 'SELL' : 'BUY',
  quantity: quantity === null ? held : smaller(quantity, held),
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  extendedHours: false,
  reducesOnly: true,
})

/**
 * Gives unprotected shares an exit: own shares at their signals; ownerless ones, which the caller `adopts`, by a new or
 * existing signal with only an exit. Throws ACCOUNT_NOT_FOUND, POSITION_NOT_FOUND, NOTHING_TO_ADOPT, and as
 * `changeProtection()` where all are denied.
 */
export async function protectPosition(
  deps: ExitDeps,
  caller: Caller,
  { accountId, symbol, change, adopts = true }: Asked,
): Promise<Decided> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  requireWithinBounds(principal, { accountId })
  const connection = await inTime(findAccountConnection(em, accountId))
  if (!connection || connection.userId !== principal.userId) throw new ApiError('ACCOUNT_NOT_FOUND')
  const adopter = adopts ? await inTime(findAdopter(em, accountId, symbol)) : null
  const [position] = await inTime(listPositions(em, principal.userId, { accountId, symbol }))
  const { shares, asOf } = await inTime(readSymbolState(deps.database.em.fork(), accountId, symbol))
  const owners = [...new Set(shares.lots.flatMap(({ owner }) => owner ?? []))]
  const asked = [...owners, ...(adopter === null ? [] : [adopter])]
  const owning = await inTime(findSignals(em, principal.userId, asked))
  if (!position && owning.length === 0) throw new ApiError('POSITION_NOT_FOUND')
  const ended = await inTime(endedAmong(em, owners))
  const protection = changedLevels(null, change)
  const own = owning.filter(
    ({ id, tokenId, status }) =>
      isOwnOf(principal, tokenId) && (id === adopter || (protection !== null && !isFailed(status))),
  )
  // A repetition after a lost answer.
  const isDone = (signal: Signal) => !ended.has(signal.id) && isDeepStrictEqual(protection, signal.protection)
  const lacking = own.filter(
    (signal) =>
      signal.id === adopter ||
      (signal.exitRule == null && (signal.protection == null || ended.has(signal.id))),
  )
  const isUnowned = adopts && adopter === null && position !== undefined && shares.side === position.side
  const unowned = isUnowned ? smaller(shares.of(null), position.quantity) : '0'
  const attempts = [
    ...(isPositive(unowned)
      ? [() => adopt(deps, caller, { position: position!, quantity: unowned, at: asOf, change, protection })]
      : []),
    ...lacking
      .toSorted((a, b) => Number(b.id === adopter) - Number(a.id === adopter))
      .map((signal) => () => changeProtection(deps, caller, signal, change)),
  ]
  const first = await oneAfterAnother(attempts)
  if (first !== null) return first
  const signal = own.find(isDone)
  if (signal) return { signal, isConfirmed: true }
  const foreign = owning.find(({ id }) => id === adopter)
  if (foreign) requireExitWithinBounds(principal, foreign)
  throw nothingToAdopt(
    `The shares of ${symbol} belong to signals that have, or had, exits of their own: GET /signals?symbol=${symbol}`,
  )
}

const nothingToAdopt = (message: string): ApiError => new ApiError('NOTHING_TO_ADOPT', { message })

interface Asked {
  accountId: string
  symbol: string
  change: ExitChange
  adopts?: boolean
}

/** Returns the first success; null for no attempts. A denial blocks no other attempt, and is thrown last. */
async function oneAfterAnother(attempts: readonly (() => Promise<Decided>)[]): Promise<Decided | null> {
  const done: Decided[] = []
  const refused: ApiError[] = []
  for (const attempt of attempts)
    try {
      done.push(await attempt())
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      refused.push(error)
    }
  const [first] = done
  const [refusal] = refused
  if (refusal !== undefined && first !== undefined)
    throw new ApiError(refusal.code, {
      message: `${refusal.message}. The other shares have the stop and target`,
      details: refusal.details,
    })
  if (refusal !== undefined) throw refusal
  return first === undefined ? null : { ...first, isConfirmed: done.every(({ isConfirmed }) => isConfirmed) }
}

async function adopt(
  deps: ExitDeps,
  caller: Caller,
  {
    position,
    quantity,
    at,
    change,
    protection,
  }: { position: Position; quantity: Decimal; at: string; change: ExitChange; protection: Protection | null },
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
  if (protection === null)
    throw validationError([
      fault([], 'required', 'The shares have no protection to remove: give a stop, a target or a trail'),
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
      message: `${by} gave ${shareCount(quantity)} of ${symbol} that no signal owns a stop and target: ${exitInWords(protection)}`,
      data: { requestId: caller.requestId },
    },
  }
  const isNew = await inTime(insertAdopted(em, adopted))
  const signalId = isNew ? id : await inTime(findAdopter(em, accountId, symbol))
  if (signalId === null) throw nothingToAdopt(`The protection of ${symbol} has just ended: try again`)
  const signal = (await inTime(findSignal(em, principal.userId, signalId)))!
  if (!isNew) {
    requireExitWithinBounds(principal, signal)
    return changeProtection(deps, caller, signal, change)
  }
  // The supervisor starts what is stored.
  await deps.gateway
    .start(termsOf(signal), timeLeft(caller, deps))
    .catch((error: unknown) =>
      deps.logger.warn({ err: error, signalId: id }, 'the plan is stored, and not begun yet'),
    )
  return { signal, isConfirmed: true }
}
