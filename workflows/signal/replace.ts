import { condition } from '@temporalio/workflow'
import { isPositive } from '#domain/decimal.ts'
import type { SignalRun } from './run.ts'
import { persistBriefly, persistStep } from '../steps/steps.ts'
import { supersededBy } from './withdraw.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/**
 * Decides whether a newer signal may take the place of this one, whose entry order is with the broker: yes if
 * the order can be cancelled without a fill, no as soon as anything has filled (specification 3.2).
 */
export async function giveWay(run: SignalRun): Promise<void> {
  const { takeover } = run
  if (takeover === null) throw new TypeError('nobody asks to take over')
  run.waitFor('the entry order to be cancelled for the signal that replaces this one')
  const trouble = isDecided(run) ? null : await cancelUnfilled(run)
  if (isPositive(run.entry.filledQuantity)) {
    takeover.answer = { granted: false }
    return
  }
  const ended = run.hasEnded(run.entryId)
  const detail = supersededBy(takeover.supersession)
  const superseding = await persistStep('recordSuperseded', 'Store the signal that takes its place', {
    signalId: run.terms.signalId,
    at: workflowNow(),
    detail,
    settles: ended ? run.entryId : null,
    working: ended ? null : { accountId: run.terms.accountId, brokerOrderId: run.entry.brokerOrderId },
    replacement: takeover.supersession.replacement,
  })
  if (typeof superseding === 'object') {
    run.note(superseding.filled)
    takeover.answer = { granted: false }
    return
  }
  run.become('cancelled', { reason: 'SUPERSEDED', detail })
  takeover.answer = {
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
  if (!tried.settled) return tried.cause
  if (tried.result.report) run.note(tried.result.report)
  return null
}
