import { condition } from '@temporalio/workflow'
import { isPositive } from '#domain/decimal.ts'
import type { SignalRun } from './run.ts'
import { persistBriefly, persistStep } from '../steps/steps.ts'
import { replacementDetail } from './withdraw.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/**
 * Decides whether a newer signal may take the place of this one, whose entry order is with the broker: yes if
 * the order can be cancelled without a fill, no as soon as anything has filled (specification 3.2).
 */
export async function decideReplacement(run: SignalRun): Promise<void> {
  const { pendingReplacement } = run
  if (pendingReplacement === null) throw new TypeError('nobody asks to take over')
  run.waitFor('the entry order to be cancelled for the signal that replaces this one')
  const trouble = isDecided(run) ? null : await cancelUnfilled(run)
  if (isPositive(run.entry.filledQuantity)) {
    pendingReplacement.answer = { granted: false }
    return
  }
  const ended = run.hasEnded(run.entryId)
  const detail = replacementDetail(pendingReplacement.replaceRequest)
  const replaceResult = await persistStep('recordReplaced', 'Store the signal that takes its place', {
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

/** Nothing is left to cancel, or nothing may be. */
const isDecided = (run: SignalRun): boolean =>
  run.hasEnded(run.entryId) || isPositive(run.entry.filledQuantity)

/** Has the order cancelled and waits a moment for it. Returns what went wrong at the broker, if anything did. */
async function cancelUnfilled(run: SignalRun): Promise<string | null> {
  const trouble = await askToCancel(run)
  if (trouble !== null || isDecided(run)) return trouble
  const came = await condition(() => isDecided(run), '2 seconds', {
    summary: 'Wait for the cancel to take effect',
  })
  // The feed may be behind. A fill that the broker knows of has to be seen before another order takes its place.
  return came ? null : askToCancel(run)
}

async function askToCancel(run: SignalRun): Promise<string | null> {
  const tried = await persistBriefly('cancelOrder', 'Cancel the entry for its replacement', {
    accountId: run.terms.accountId,
    brokerOrderId: run.entry.brokerOrderId,
    onlyIfUnfilled: true,
  })
  if (!tried.completed) return tried.cause
  if (tried.result.report) run.note(tried.result.report)
  return null
}
