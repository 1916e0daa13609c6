import { condition } from '@temporalio/workflow'
import { isPositive, isZero } from '#domain/decimal.ts'
import type { SignalRun } from './signal-run.ts'
import { persistStep, step, tryBriefly } from './steps.ts'
import { untilEnded } from './waits.ts'
import { workflowNow } from './workflow-time.ts'

/**
 * Decides whether a newer signal may take the place of this one, whose entry order is with the broker: yes if
 * the order can be cancelled without a fill, no as soon as anything has filled (specification 3.2). Tells
 * whether this signal has ended with it.
 */
export async function giveWay(run: SignalRun): Promise<boolean> {
  const { takeover } = run
  if (takeover === null) throw new TypeError('nobody asks to take over')
  run.waitFor('the entry order to be cancelled for the signal that replaces this one')
  const trouble = run.hasEnded(run.entryId) ? null : await cancelUnfilled(run)
  if (isPositive(run.entry.filledQuantity)) {
    takeover.answer = { granted: false }
    return false
  }
  const ended = run.hasEnded(run.entryId)
  const { by, replacement } = takeover.supersession
  const detail = `Superseded by a newer signal with the same sourceId, sent by ${by}`
  await step('recordSuperseded', 'Store the signal that takes its place', {
    signalId: run.terms.signalId,
    at: workflowNow(),
    detail,
    settles: ended ? run.entryId : null,
    mayStillFill: !ended,
    replacement,
  })
  run.become('cancelled', { reason: 'SUPERSEDED', detail })
  takeover.answer = {
    granted: true,
    warning: ended
      ? null
      : `The broker has not cancelled the old order yet${trouble === null ? '' : ` (${trouble})`}`,
  }
  if (!ended) return watchToTheEnd(run)
  run.phase = 'ended'
  return true
}

/** Asks for the cancel and waits a moment for it. Returns what went wrong at the broker, if anything did. */
async function cancelUnfilled(run: SignalRun): Promise<string | null> {
  const tried = await tryBriefly('cancelOrder', 'Cancel the entry for its replacement', {
    accountId: run.terms.accountId,
    brokerOrderId: run.entry.brokerOrderId,
    onlyIfUnfilled: true,
  })
  if (!tried.settled) return tried.cause
  if (tried.result.report) run.note(tried.result.report)
  if (isPositive(run.entry.filledQuantity)) return null
  await condition(() => run.hasEnded(run.entryId), '2 seconds', {
    summary: 'Wait for the cancel to take effect',
  })
  return null
}

/**
 * The signal is cancelled and its order may still work: the cancel is asked for until the order has ended. A
 * fill that comes all the same makes a position, which gets its exit like any other.
 */
async function watchToTheEnd(run: SignalRun): Promise<boolean> {
  run.waitFor('the superseded entry order to end')
  const { report } = await persistStep('cancelOrder', 'Cancel the superseded entry', {
    accountId: run.terms.accountId,
    brokerOrderId: run.entry.brokerOrderId,
    onlyIfUnfilled: false,
  })
  if (report) run.note(report)
  const entry = await untilEnded(run, run.entryId)
  if (!isZero(entry.filledQuantity)) return false
  run.phase = 'ended'
  return true
}
