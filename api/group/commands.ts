import type { Signal, SignalGroup } from '#db/entities/index.ts'
import { findGroup, signalsOfGroup } from '#db/signal/groups.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import { randomUUID } from 'node:crypto'
import { requireSignalWithinBounds, requireChangeWithinBounds } from '../signal/new-signal.ts'
import { create, type CreationDeps } from '../intake/create.ts'
import { messageName, type Outcome } from '../intake/request.ts'
import type { DryRunDeps } from '../signal/dry-run.ts'
import { dryRunSignal, presentDryRun } from '../signal/check.ts'
import type { SignalRequest } from '#contract/signal/request.ts'
import type { GroupDryRunAnswer } from '#contract/group/shapes.ts'
import { summaryOf, type StoppedLine } from './present.ts'
import { orderIdFor } from '#db/order/order-rows.ts'
import { findOrder } from '#db/order/queries.ts'
import { stopCrossing } from '#db/signal/reversal.ts'
import { findSignal } from '#db/signal/signals.ts'
import { entryIdFor, isTerminal } from '#domain/order/order.ts'
import { isFailed, isUnplaced, isWaiting, goesAcross } from '#domain/signal/signal.ts'
import { cancelOrder } from '../order/cancel.ts'
import type { OrderDeps } from '../order/commands.ts'
import { describeState, withdrawSignal } from '../signal/decide.ts'
import type { SignalDeps } from '../signal/own-signal.ts'

/** Oldest signals first; another user's group counts as absent. */
export async function ownGroup(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  id: string,
): Promise<{ group: SignalGroup; signals: Signal[] }> {
  const group = await inTime(findGroup(em, principal.userId, id))
  if (!group) throw new ApiError('SIGNAL_GROUP_NOT_FOUND')
  const signals = await inTime(signalsOfGroup(em, principal.userId, id))
  return { group, signals }
}

const ASKED_AT_ONCE = 2

/** A sourceId names the signals together, for ever. Throws as {@link create}. */
export async function sendToSeveral(
  deps: CreationDeps,
  caller: Caller,
  requests: SignalRequest[],
  source: string,
): Promise<Outcome> {
  const [{ sourceId }] = requests as [SignalRequest, ...SignalRequest[]]
  const sent = await create(deps, caller, {
    requests,
    source,
    group: {
      id: randomUUID(),
      name: sourceId && messageName(caller.principal, sourceId),
      seconds: null,
      summary: summaryOf(requests[0]!),
    },
  })
  const first = sent.members.find((member) => 'signal' in member)
  if (first) caller.noteSignal(first.signal.id)
  return sent
}

type DryRunLine = GroupDryRunAnswer['dryRuns'][number]

/** Throws the first error where no account can be asked. */
export async function dryRunForSeveral(
  deps: DryRunDeps,
  caller: Caller,
  requests: readonly SignalRequest[],
): Promise<GroupDryRunAnswer> {
  const lines = new Map<
    SignalRequest,
    { line: DryRunLine; answer: ReturnType<typeof presentDryRun> | null }
  >()
  const errors: ApiError[] = []
  await mapLimit(ASKED_AT_ONCE, requests, async (request) => {
    const { accountId } = request
    try {
      requireSignalWithinBounds(caller.principal, request)
      const answer = presentDryRun(await dryRunSignal(deps, caller, request), caller.requestId)
      const { dryRun, message } = answer
      lines.set(request, { line: { accountId, dryRun, code: dryRun.code, message }, answer })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push(error)
      const { code, message } = error
      lines.set(request, { line: { accountId, dryRun: null, code, message }, answer: null })
    }
  })
  const inOrder = requests.map((request) => lines.get(request)!)
  const first = inOrder.find(({ answer }) => answer !== null)?.answer
  if (!first) throw errors[0]!
  return { ...first, dryRuns: inOrder.map(({ line }) => line) }
}

const STOPPED_AT_A_TIME = 16

/**
 * Exits remain. Repetition is harmless.
 * @param mayCancel for working orders
 */
export async function stopEntries(
  deps: SignalDeps & OrderDeps,
  caller: Caller,
  signals: readonly Signal[],
  mayCancel: boolean = caller.principal.scopes.has('orders:write'),
): Promise<StoppedLine[]> {
  const lines: StoppedLine[] = []
  await mapLimit(STOPPED_AT_A_TIME, signals, async (signal, at) => {
    try {
      lines[at] = await stopEntry(deps, caller, signal, mayCancel)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      lines[at] = { signal, outcome: 'failed', problem: error, message: error.message }
    }
  })
  return lines
}

async function stopEntry(
  deps: SignalDeps & OrderDeps,
  caller: Caller,
  signal: Signal,
  mayCancel: boolean,
): Promise<StoppedLine> {
  requireChangeWithinBounds(caller.principal, signal)
  if (signal.status === 'executed') return cancelEntry(deps, caller, signal, mayCancel)
  if (isFailed(signal.status)) return over(signal)
  try {
    const { signal: now, isConfirmed } = await withdrawSignal(deps, caller, signal)
    return isConfirmed
      ? {
          signal: now,
          outcome: 'withdrawn',
          problem: null,
          message: 'The signal is withdrawn: no order is sent',
        }
      : {
          signal: now,
          outcome: 'asked',
          problem: null,
          message: 'The withdrawal is not confirmed yet: an order may still be sent',
        }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'SIGNAL_NOT_CANCELLABLE')) throw error
    const now = await caller.beforeDatabaseDeadline(findSignal(caller.em, signal.userId, signal.id))
    if (!now || isWaiting(now.status) || isFailed(now.status)) throw error
    return cancelEntry(deps, caller, now, mayCancel)
  }
}

/** A cancelled reversal does not open the other side. */
async function cancelEntry(
  deps: OrderDeps,
  caller: Caller,
  signal: Signal,
  mayCancel: boolean,
): Promise<StoppedLine> {
  const { em, beforeDatabaseDeadline: inTime } = caller
  const order = await entryOf(caller, signal)
  const hasEnded = order === null || isTerminal(order.status)
  const goesOn = goesAcross({ action: signal.action, target: signal.target ?? null })
  if (hasEnded && !(goesOn && mayCancel)) return over(signal)
  // Withdrawing and cancelling are different scopes.
  if (!mayCancel) throw new ApiError('INSUFFICIENT_SCOPES')
  if (goesOn) {
    const stopping = stopCrossing(em, signal.id, new Date().toISOString(), await caller.actorName())
    const isStopped = await inTime(stopping)
    if (hasEnded)
      return isStopped
        ? { signal, outcome: 'withdrawn', problem: null, message: 'The other side is not opened' }
        : over(signal)
  }
  try {
    const outcome = await cancelOrder(deps, caller, order!)
    return outcome === 'cancelled'
      ? { signal, outcome, problem: null, message: 'The entry is cancelled' }
      : {
          signal,
          outcome: 'asked',
          problem: null,
          message: 'The entry is being cancelled; until the broker confirms it, it may fill',
        }
  } catch (error) {
    const hasEnded = error instanceof ApiError && error.code === 'ORDER_NOT_CANCELLABLE'
    if (hasEnded && !isUnplaced(signal.status)) return over(signal)
    throw error
  }
}

/** The workflow cancels an order not yet known at the broker. */
async function entryOf(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  { id, userId, accountId, orderId, status }: Signal,
): Promise<Parameters<typeof cancelOrder>[2] | null> {
  if (orderId != null) return (await inTime(findOrder(em, userId, orderId)))?.order ?? null
  if (!isUnplaced(status)) return null
  const clientOrderId = entryIdFor(id)
  return { id: orderIdFor(clientOrderId), userId, accountId, signalId: id, clientOrderId, status: 'PENDING' }
}

const over = (signal: Signal): StoppedLine => ({
  signal,
  outcome: 'over',
  problem: null,
  message: signal.status === 'executed' ? 'The entry has ended' : describeState(signal),
})
