import { goOnAs } from '#db/engine/rolled-back.ts'
import type { Signal } from '#db/entities/index.ts'
import { findOrder } from '#db/orders/queries.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { recordReplaced } from '#db/signals/decision-ledger.ts'
import { findSignal } from '#db/signals/signals.ts'
import { insertSignal, type NewSignal } from '#db/signals/storing.ts'
import { isPositive } from '#domain/decimal.ts'
import { belongsToAnother, isAnotherTrade } from '#domain/source-id.ts'
import type { ReplaceRequest } from '#workflows/signal/contract.ts'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../http/caller.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { WorkflowOver } from '../temporal/signals.ts'
import { accept } from '../intake/accept.ts'
import type { Edits } from './decision-commands.ts'
import type { AcceptanceDeps } from './deps.ts'
import { playThrough, type DryRun, type DryRunDeps, type Stage, type Stored } from './dry-run-commands.ts'
import { newSignal, receivedEntry } from './new-signal.ts'
import type { Advisory, SignalRequest } from '#contract/signals/schema.ts'

/** Throws as `playThrough()`, and {@link ApiError} VALIDATION_ERROR, STRATEGY_NOT_FOUND, TOKEN_BOUNDS_EXCEEDED. */
export const dryRunSignal = (deps: DryRunDeps, caller: Caller, request: SignalRequest): Promise<DryRun> =>
  playThrough(deps, caller, request.accountId, (stage) =>
    rehearse(deps, { ...caller, em: stage.em }, request, stage),
  )

/** Of a signal that waits for a person, as if this one approved it with these edits. Throws as `playThrough()`. */
export const dryRunApproval = (
  deps: DryRunDeps,
  caller: Caller,
  { id, accountId, advisories }: Signal,
  edits: Edits,
): Promise<DryRun> =>
  playThrough(deps, caller, accountId, () =>
    Promise.resolve({ signalId: id, refused: null, advisories, edits }),
  )

/** These say nothing against the request itself: what the rules say can be shown beside them. */
const IS_SHOWN: ReadonlySet<ErrorCode> = new Set([
  'MODE_MISMATCH',
  'STRATEGY_PAUSED',
  'WAITING_SIGNAL_LIMIT_REACHED',
  'REPLACE_REFUSED_FILLED',
])

async function rehearse(
  deps: DryRunDeps,
  caller: Caller,
  request: SignalRequest,
  stage: Stage,
): Promise<Stored> {
  const { advisories } = request
  const now = Date.parse(stage.now)
  const storeAllTheSame = async (refused: Stored['refused'], more: Advisory[] = []): Promise<Stored> => {
    const other = { ...request, sourceId: request.sourceId && randomUUID() }
    const signal = newSignal(caller.principal, other, new Date(now), deps.maxStaleness)
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

/** As the workflow of the earlier signal does it, whose order its broker cancels at once. */
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
