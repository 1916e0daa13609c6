import type { OrderRequest } from '#domain/order/order.ts'
import type { SessionState } from '#domain/risk/projected-context.ts'
import { toJsonNumber, isoInstantOfText, toIsoInstant } from '../http/presentation.ts'
import type { DryRunAnswer, SignalCheckAnswer } from '#contract/signal/dry-run.ts'
import { type DryRun, playThrough, type DryRunDeps, type Stage, type Stored } from './dry-run.ts'
import { goOnAs } from '#db/engine/batched-transaction.ts'
import type { Signal, Account, Position } from '#db/entities/index.ts'
import { findOrder } from '#db/order/queries.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordReplaced } from '#db/signal/decision-ledger.ts'
import { findSignal } from '#db/signal/signals.ts'
import { insertSignal, type NewSignal } from '#db/signal/storing.ts'
import { isPositive, type Decimal, add, negate, round, subtract } from '#domain/money/decimal.ts'
import { belongsToAnother, isAnotherTrade } from '#domain/signal/source-id.ts'
import type { ReplaceRequest } from '#workflows/signal/contract.ts'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../http/caller.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { WorkflowOver } from '../temporal/calls.ts'
import { accept } from '../intake/accept.ts'
import { type Edits, describeState } from './decide.ts'
import type { AcceptanceDeps } from './own-signal.ts'
import { newSignal, receivedEntry } from './new-signal.ts'
import type { Advisory, SignalRequest } from '#contract/signal/request.ts'
import { findAccount } from '#db/account/accounts.ts'
import { listPositions } from '#db/position/positions.ts'
import { findAccountConnection } from '#db/account/sync.ts'
import { findRiskSettings } from '#db/risk/settings.ts'
import { findReach, type NoticeReach } from '#db/notify/reach.ts'
import type { Quote } from '#brokers/port.ts'
import { mayBeDecided } from '#domain/signal/signal.ts'
import { riskLimits } from '#domain/risk/limits.ts'
import type { MarketData } from '../market/market-data.ts'
import { costOf, signedQuantity } from '#domain/risk/buying-power.ts'
import { percentOf } from '#domain/account/performance.ts'
import { presentQuote } from '../market/routes.ts'

export function presentDryRun(run: DryRun, requestId: string): DryRunAnswer {
  const advisories = run.advisories.length > 0 && { advisories: run.advisories }
  return {
    success: true,
    message: `Nothing was stored or sent. ${outcomeOf(run)}`,
    dryRun: {
      outcome: run.forecast.outcome,
      code: run.forecast.outcome === 'denied' ? run.forecast.code : null,
      signalId: run.forecast.outcome === 'existing' ? run.forecast.signalId : null,
      order: run.order && presentOrder(run.order),
      follows: run.follows && {
        side: run.follows.side,
        quantity: toJsonNumber(run.follows.quantity),
        limitPrice: toJsonNumber(run.follows.limitPrice),
        stopPrice: toJsonNumber(run.follows.stopPrice),
      },
      scheduledAt: run.scheduledAt,
      session: presentSession(run.session),
      exitAt: run.exit?.submitAt ?? null,
      exitReason: run.exit?.reason ?? null,
      waitsFor: run.waitsFor,
      verdicts: run.verdicts,
    },
    ...advisories,
    requestId,
  }
}

function outcomeOf({ forecast, waitsFor, scheduledAt }: DryRun): string {
  if (forecast.outcome === 'denied') return `The order would not be sent: ${forecast.detail}`
  if (forecast.outcome === 'held') return `The signal would need approval: ${forecast.detail}`
  if (forecast.outcome === 'waits') return `The order would not be sent yet: ${forecast.detail}`
  if (forecast.outcome === 'nothing') return `No order would be sent: ${forecast.detail}`
  if (forecast.outcome === 'existing')
    return `The signal ${forecast.signalId} holds the sourceId and would be answered: no order would be sent`
  const at = scheduledAt === null ? '' : ` at ${scheduledAt}`
  if (waitsFor.length > 0)
    return `The order would be sent${at} after ${waitsFor.length} earlier signals have ended`
  return `The order would be sent${at}`
}

const presentOrder = (order: OrderRequest): DryRunAnswer['dryRun']['order'] => ({
  ...order,
  quantity: toJsonNumber(order.quantity),
  limitPrice: toJsonNumber(order.limitPrice),
  stopPrice: toJsonNumber(order.stopPrice),
})

const presentSession = ({
  isOpen,
  nextOpen,
  nextClose,
}: SessionState): DryRunAnswer['dryRun']['session'] => ({
  isOpen,
  nextOpen,
  nextClose,
})

/** Throws as `playThrough()`, and VALIDATION_ERROR, STRATEGY_NOT_FOUND, TOKEN_BOUNDS_EXCEEDED. */
export const dryRunSignal = (deps: DryRunDeps, caller: Caller, request: SignalRequest): Promise<DryRun> =>
  playThrough(deps, caller, request.accountId, (stage) =>
    simulate(deps, { ...caller, em: stage.em }, request, stage),
  )

/** Dry run of an approval with these edits. Throws as `playThrough()`. */
const dryRunApproval = (
  deps: DryRunDeps,
  caller: Caller,
  { id, accountId, advisories }: Signal,
  edits: Edits,
): Promise<DryRun> =>
  playThrough(deps, caller, accountId, () =>
    Promise.resolve({ signalId: id, refused: null, advisories, edits }),
  )

/** Rules are shown beside these denials, which do not concern the request itself. */
const IS_SHOWN: ReadonlySet<ErrorCode> = new Set([
  'MODE_MISMATCH',
  'STRATEGY_PAUSED',
  'WAITING_SIGNAL_LIMIT_REACHED',
  'REPLACE_REFUSED_FILLED',
])

async function simulate(
  deps: DryRunDeps,
  caller: Caller,
  request: SignalRequest,
  stage: Stage,
): Promise<Stored> {
  const { advisories } = request
  const now = Date.parse(stage.now)
  const storeAllTheSame = async (refused: Stored['refused'], more: Advisory[] = []): Promise<Stored> => {
    const other = { ...request, sourceId: request.sourceId && randomUUID() }
    const signal = newSignal(caller.principal, other, new Date(now), deps.signalTtl)
    await insertSignal(stage.em, signal, receivedEntry(signal, caller))
    return { signalId: signal.id, refused, advisories: [...advisories, ...more] }
  }
  const accepting: AcceptanceDeps = {
    ...deps,
    now: () => now,
    database: stage,
    background: { run() {} },
    failpoint() {},
    gateway: {
      replace: ({ signalId }, replacing) => replace(stage, signalId, replacing),
    },
  }
  try {
    const { members } = await accept(accepting, caller, { requests: [request], source: '', group: null })
    const member = members[0]!
    if (member.outcome === 'refused') throw member.error!
    const { outcome, signal } = member
    if (outcome !== 'existing') return { signalId: signal.id, refused: null, advisories }
    return await storeAllTheSame({ outcome, signalId: signal.id }, [sourceIdTaken(signal, request)])
  } catch (error) {
    if (!(error instanceof ApiError) || !IS_SHOWN.has(error.code)) throw error
    return storeAllTheSame({ outcome: 'denied', code: error.code, detail: error.message })
  }
}

/** Imitates the earlier signal's workflow, with an immediate cancel. */
async function replace(
  { em, broker, userId, now }: Stage,
  signalId: string,
  { by, replacement: { row, received } }: ReplaceRequest,
): Promise<{ warning: null }> {
  const earlier = await findSignal(em, userId, signalId)
  if (earlier === null || isPositive(earlier.filledQuantity)) throw new WorkflowOver()
  const order = earlier.orderId == null ? null : (await findOrder(em, userId, earlier.orderId))!.order
  const brokerOrderId = order?.brokerOrderId ?? null
  if (brokerOrderId !== null) await broker.cancelOrder(brokerOrderId)
  const report = brokerOrderId === null ? null : await broker.getOrder(brokerOrderId)
  await goOnAs(em, null)
  if (report !== null) await applyOrderReport(em, earlier.accountId, report)
  await recordReplaced(em, signalId, now, {
    detail: `Replaced by a newer signal with the same sourceId, sent by ${by}`,
    acknowledges: order?.clientOrderId ?? null,
    mayStillFill: false,
    replacement: { signal: row as NewSignal, received },
  })
  await goOnAs(em, userId)
  return { warning: null }
}

const sourceIdTaken = (holder: Signal, asked: SignalRequest): Advisory => ({
  code: 'source_id_taken',
  message: `The signal ${holder.id} holds this sourceId: sent without replaceExisting, that one would be returned${isAnotherTrade(holder, asked) ? `. ${belongsToAnother(holder, asked)}` : ''}`,
})

export interface SignalCheck {
  signal: Signal
  run: DryRun
  quote: Quote | null
  account: Pick<Account, 'buyingPower'>
  /** As last synced; null when flat. */
  position: Pick<Position, 'side' | 'quantity'> | null
  /** Percent that the price may have moved during the wait; null for no limit. */
  driftLimit: Decimal | null
  notice: NoticeReach | null
}

/** Applies the rules that decide right before sending. Throws SIGNAL_NOT_PENDING, and as the dry run. */
export async function checkSignal(
  deps: DryRunDeps & { market: MarketData },
  caller: Caller,
  signal: Signal,
  edits: Edits,
): Promise<SignalCheck> {
  if (!mayBeDecided(signal.status))
    throw new ApiError('SIGNAL_NOT_PENDING', { message: describeState(signal) })
  const { userId, accountId, symbol } = signal
  const { em, beforeDatabaseDeadline: inTime } = caller
  const connection = await inTime(findAccountConnection(em, accountId))
  const known = await inTime(findAccount(em, userId, accountId))
  if (!connection || !known) throw new ApiError('ACCOUNT_NOT_FOUND')
  const [position = null] = await inTime(listPositions(em, userId, { accountId, symbol }))
  const limits = riskLimits(await inTime(findRiskSettings(em, userId, accountId)))
  const notice = await inTime(findReach(em, signal.id))
  const [run, { quotes }] = await Promise.all([
    dryRunApproval(deps, caller, signal, edits),
    deps.market.quotes(connection, [symbol]),
  ])
  return {
    signal,
    run,
    quote: quotes[0] ?? null,
    account: known.account,
    position,
    driftLimit: limits.maxApprovalDriftPercent,
    notice,
  }
}

export function presentCheck(check: SignalCheck, requestId: string): SignalCheckAnswer {
  const { signal, run, quote, account, position, driftLimit, notice } = check
  const { dryRun, message, advisories = [] } = presentDryRun(run, requestId)
  const held = signal.heldPrice ?? null
  const last = quote?.last ?? null
  const before: Decimal =
    position === null ? '0' : position.side === 'LONG' ? position.quantity : negate(position.quantity)
  const follows = run.follows?.quantity == null ? null : { ...run.follows, quantity: run.follows.quantity }
  const isUnsized = run.order === null || (run.follows !== null && follows === null)
  const after = [run.order, follows].reduce(
    (shares, order) => (order === null ? shares : add(shares, signedQuantity(order))),
    before,
  )
  return {
    dryRun,
    message,
    advisories,
    heldPrice: toJsonNumber(held),
    quote: quote && presentQuote(quote),
    driftPercent: toJsonNumber(percentFrom(last, held)),
    driftLimitPercent: toJsonNumber(driftLimit),
    limitDistancePercent: toJsonNumber(percentFrom(run.limitPrice, last)),
    cost: toJsonNumber(costOf(run.order, quote, run.orderCosts)),
    buyingPower: toJsonNumber(run.buyingPower ?? account.buyingPower),
    followingCost: toJsonNumber(follows && costOf(follows, quote, run.orderCosts)),
    position: {
      before: toJsonNumber(before),
      after: toJsonNumber(isUnsized ? null : after),
    },
    notice: notice && { ...notice, unreachedSince: isoInstantOfText(notice.unreachedSince) },
    checkedAt: toIsoInstant(new Date()),
  }
}

const percentFrom = (price: Decimal | null, other: Decimal | null): Decimal | null =>
  price === null || other === null || !isPositive(other)
    ? null
    : round(percentOf(subtract(price, other), other), 2)
