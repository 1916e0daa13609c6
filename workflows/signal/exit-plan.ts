import { compare } from '#domain/decimal.ts'
import type { ExitRule } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'
import { stepOrAlarm } from './exit-retry.ts'
import type { SignalRun } from './run.ts'
import { waitUntil } from '../steps/waits.ts'

/** Waits for the exit time that the calendar gives, or until a person cancels the exit. */
export async function planExit(run: SignalRun, rule: ExitRule): Promise<void> {
  const { signalId, accountId, symbol } = run.terms
  run.entryEndedAt ??= run.entry.endedAt ?? run.lastNewsAt(run.entryId)
  const { entryEndedAt } = run
  let known: OrderReport
  let isCutShort: boolean
  do {
    // The exit is planned again after a late fill. Its time stays the same, but the plan acknowledges the fill in the
    // ledger; without that the feed would report the fill again at every comparison.
    known = run.entry
    const { submitAt } = await stepOrAlarm(
      run,
      'unplanned',
      'planExit',
      'Resolve the exit time from the calendar',
      { signalId, accountId, rule, entry: known, entryEndedAt, generation: run.exit.generation },
    )
    run.waitFor('the exit time', submitAt)
    isCutShort = await waitUntil(
      run,
      () => run.exitCancelledBy !== null || compare(run.entry.filledQuantity, known.filledQuantity) > 0,
      { at: submitAt, summary: `Exit ${known.filledQuantity} ${symbol} at ${submitAt}` },
    )
  } while (isCutShort && run.exitCancelledBy === null)
}
