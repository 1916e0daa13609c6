import { compare } from '#domain/decimal.ts'
import type { ExitRule } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'
import { reportTrouble, stepOrAlarm } from './exit-retry.ts'
import type { SignalRun } from './run.ts'
import { waitUntil } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'

/** Minutes after which an exit that still waits is planned again: its calendar may have changed. */
const PLANNED_AGAIN_AFTER = 24 * 60

/**
 * Waits for the exit time that the calendar gives, or until a person cancels the exit. It is planned again every day, when a
 * message says that the calendar has changed, and after a late fill, whose plan acknowledges the fill in the ledger:
 * without that the feed would report it again at every comparison.
 */
export async function planExit(run: SignalRun, rule: ExitRule): Promise<void> {
  const { signalId, accountId, symbol } = run.terms
  run.entryEndedAt ??= run.entry.endedAt ?? run.lastNewsAt(run.entryId)
  const { entryEndedAt } = run
  for (;;) {
    const known: OrderReport = run.entry
    const { plannedFor } = run
    run.calendarChanged = false
    const { submitAt } = await stepOrAlarm(
      run,
      'unplanned',
      'planExit',
      'Resolve the exit time from the calendar',
      {
        signalId,
        accountId,
        rule,
        entry: known,
        entryEndedAt,
        heardAt: run.lastNewsAt(run.entryId),
        generation: run.exit.generation,
        ...(plannedFor !== null && { plannedFor, plannedAt: workflowNow() }),
      },
    )
    run.plannedFor = submitAt
    run.waitFor('the exit time', submitAt)
    const nextLook = inMinutes(PLANNED_AGAIN_AFTER)
    const isCutShort = await waitUntil(
      run,
      () =>
        run.exitCancelledBy !== null ||
        run.calendarChanged ||
        compare(run.entry.filledQuantity, known.filledQuantity) > 0,
      {
        at: submitAt < nextLook ? submitAt : nextLook,
        summary: `Exit ${known.filledQuantity} ${symbol} at ${submitAt}`,
      },
    )
    if (run.exitCancelledBy !== null || (!isCutShort && millisecondsUntil(submitAt) === 0)) return
  }
}

/**
 * The exchange takes no exit at the time that it was planned for: the exit is planned anew, and waits for its new time. Where the
 * calendar now says that it may leave at once, that is tried after a moment.
 */
export async function planExitAnew(run: SignalRun, rule: ExitRule): Promise<void> {
  const { plannedFor } = run
  run.phase = 'awaitingExit'
  await planExit(run, rule)
  if (run.exitCancelledBy === null && run.plannedFor === plannedFor)
    await reportTrouble(run, {
      generation: run.exit.generation,
      kind: 'held',
      code: null,
      detail: 'the calendar of the broker says that the exchange is open, and that it is closed',
    })
}
