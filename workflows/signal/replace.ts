import { condition } from '@temporalio/workflow'
import { isPositive } from '#domain/money/decimal.ts'
import type { SignalRun } from './run.ts'
import { runBounded, runDurable } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import { replacementDetail } from './withdraw.ts'

/** Grants the replacement if the entry can be cancelled without a fill (specification 3.2). */
export async function decideReplacement(run: SignalRun): Promise<void> {
  const { pendingReplacement } = run
  if (pendingReplacement === null) throw new TypeError('no replacement was requested')
  run.waitFor('the entry order to be cancelled for the signal that replaces this one')
  const trouble = isDecided(run) ? null : await cancelUnfilled(run)
  if (isPositive(run.entry.filledQuantity)) {
    pendingReplacement.answer = { granted: false }
    return
  }
  const ended = run.hasEnded(run.entryId)
  const detail = replacementDetail(pendingReplacement.replaceRequest)
  const replaceResult = await runDurable('recordReplaced', 'Store the signal that replaces it', {
    signalId: run.terms.signalId,
    at: workflowNow(),
    detail,
    acknowledges: ended ? run.entryId : null,
    working: ended ? null : { accountId: run.terms.accountId, brokerOrderId: run.entry.brokerOrderId },
    replacement: pendingReplacement.replaceRequest.replacement,
  })
  if (typeof replaceResult === 'object') {
    run.note(replaceResult.filled)
    pendingReplacement.answer = { granted: false }
    return
  }
  run.become('cancelled', { reason: 'SUPERSEDED', detail })
  pendingReplacement.answer = {
    granted: true,
    warning: ended
      ? null
      : `The broker has not cancelled the old order yet${trouble === null ? '' : ` (${trouble})`}`,
  }
}

const isDecided = (run: SignalRun): boolean =>
  run.hasEnded(run.entryId) || isPositive(run.entry.filledQuantity)

/** Returns the broker's error. */
async function cancelUnfilled(run: SignalRun): Promise<string | null> {
  const trouble = await askToCancel(run)
  if (trouble !== null || isDecided(run)) return trouble
  const came = await condition(() => isDecided(run), '2 seconds', {
    summary: 'Wait for the cancel to take effect',
  })
  // The feed may lag.
  return came ? null : askToCancel(run)
}

async function askToCancel(run: SignalRun): Promise<string | null> {
  const tried = await runBounded('cancelOrder', 'Cancel the entry for its replacement', {
    accountId: run.terms.accountId,
    brokerOrderId: run.entry.brokerOrderId,
    onlyIfUnfilled: true,
  })
  if (!tried.completed) return tried.cause
  if (tried.result.report) run.note(tried.result.report)
  return null
}
