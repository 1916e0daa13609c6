import type { Stopping } from '#activities/contract.ts'
import { withdrawnDetail, type SignalTerms } from '#domain/signal/signal.ts'
import type { ReplaceRequest } from './contract.ts'
import type { SignalRun, Stop } from './run.ts'
import { runDurable } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** False when the ledger has a crashed worker's decision, which the workflow continues. */
export async function stopBeforeEntry(run: SignalRun): Promise<boolean> {
  const { stop } = run
  if (stop === null) throw new TypeError('no stop was requested')
  if (stop.kind === 'not_taken') return waitOn(run, stop.cause)
  const { status, reason, detail } = endAfter(stop, run.terms)
  if ((await record(run, stop, detail)) === 'too_late') {
    run.stop = null
    run.isDecidedUnheard = true
    return false
  }
  run.become(status, { reason, detail })
  run.phase = 'ended'
  return true
}

/** False as in {@link stopBeforeEntry}. */
async function waitOn(run: SignalRun, cause: string): Promise<boolean> {
  const { signalId, validUntil } = run.terms
  const decision = await runDurable('recordDecisionLapsed', 'Record that the approval was not taken', {
    signalId,
    at: workflowNow(),
    detail: `It could not be checked in time, and nothing was sent: ${cause}`,
    validUntil,
  })
  run.stop = null
  run.isDecidedUnheard = decision.outcome !== 'held'
  if (decision.outcome !== 'held') return false
  run.hold(decision)
  return true
}

type Ending = Exclude<Stop, { kind: 'not_taken' }>

async function record({ terms: { signalId } }: SignalRun, stop: Ending, detail: string): Promise<Stopping> {
  const at = workflowNow()
  switch (stop.kind) {
    case 'declined': {
      const { by, reason } = stop
      return runDurable('recordDeclined', `Record that ${by} declined`, { signalId, at, by, reason })
    }
    case 'replaced': {
      const stopping = await runDurable('recordReplaced', 'Store the signal that replaces it', {
        signalId,
        at,
        detail,
        acknowledges: null,
        working: null,
        replacement: stop.replaceRequest.replacement,
      })
      return stopping === 'stopped' ? 'stopped' : 'too_late'
    }
    case 'withdrawn':
    case 'expired':
      return runDurable('recordCancelled', `Record that the signal is ${stop.kind}`, {
        signalId,
        at,
        reason: stop.kind === 'withdrawn' ? 'WITHDRAWN' : 'EXPIRED',
        detail,
      })
    case 'superseded':
      return runDurable('recordCancelled', 'Record that a newer alert took its place', {
        signalId,
        at,
        reason: 'SUPERSEDED',
        detail,
      })
    case 'late':
      return runDurable('recordCancelled', 'Record that it could not be sent in time', {
        signalId,
        at,
        reason: 'STALE',
        detail,
      })
  }
}

function endAfter(stop: Ending, terms: SignalTerms) {
  switch (stop.kind) {
    case 'declined': {
      const detail = stop.reason ?? `Declined by ${stop.by}`
      return { status: 'rejected', reason: 'DECLINED', detail } as const
    }
    case 'replaced':
      return {
        status: 'cancelled',
        reason: 'SUPERSEDED',
        detail: replacementDetail(stop.replaceRequest),
      } as const
    case 'withdrawn': {
      return { status: 'cancelled', reason: 'WITHDRAWN', detail: withdrawnDetail(terms, stop.by) } as const
    }
    case 'superseded':
      return { status: 'cancelled', reason: 'SUPERSEDED', detail: stop.detail } as const
    case 'expired': {
      const detail = 'Its time had ended, and no order had been sent'
      return { status: 'cancelled', reason: 'EXPIRED', detail } as const
    }
    case 'late':
      return {
        status: 'error',
        reason: 'STALE',
        detail: `It could not be checked in time, and nothing was sent: ${stop.cause}`,
      } as const
  }
}

export const replacementDetail = ({ by }: ReplaceRequest): string =>
  `Replaced by a newer signal with the same sourceId, sent by ${by}`
