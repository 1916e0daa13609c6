import { condition } from '@temporalio/workflow'
import { add, compare, isPositive, subtract } from '#domain/decimal.ts'
import { EXIT_AT_MARKET, exitCancelledMessage } from '#domain/exit.ts'
import { describeExitEnd } from '#domain/exit-progress.ts'
import { sharesOf } from '#domain/figures.ts'
import { waitUntil } from '../steps/steps.ts'
import { close } from './close.ts'
import { cancelExitFor } from './exit-trouble.ts'
import { followExit } from './follow-exit.ts'
import { lookAtExit } from './look-at-exit.ts'
import { placeExit } from './place-exit.ts'
import type { SignalRun } from './run.ts'

/** Brings the exit at the broker to the one that is desired, until nothing is left to close. */
export async function runExit(run: SignalRun): Promise<void> {
  run.phase = 'exiting'
  for (;;) {
    const { workingOrder } = run.exit
    if (workingOrder !== null) {
      await followExit(run, workingOrder)
      continue
    }
    const { wish, revision } = await lookAtExit(run)
    // A person may cancel it while its time is found.
    if (run.isDeciding) await condition(() => !run.isDeciding)
    else if (wish.what === 'none') {
      if (await endExit(run, wish.why)) return
    } else if (wish.what === 'wait') {
      run.waitFor(wish.for, wish.until)
      await waitUntil(
        run,
        () => run.hasNews,
        wish.again === null ? null : { at: wish.again, summary: describe(run, wish) },
      )
    } else await placeExit(run, wish, revision)
  }
}

/** Read on the timer in Temporal's UI. */
function describe({ entry, exit, terms }: SignalRun, wish: { for: string; until: string | null }): string {
  const left = subtract(entry.filledQuantity, exit.coveredQuantity)
  const until = wish.until === null ? '' : `until ${wish.until} `
  return `Exit ${left} ${terms.symbol}: waits ${until}for ${wish.for}`
}

/** False where an earlier decision goes on. */
async function endExit(run: SignalRun, why: 'closed' | 'cancelled' | 'over'): Promise<boolean> {
  const { cancelledBy, levelsEndedBy, sessionEndsAt, timeIsOver } = run.exit
  if (cancelledBy !== null) {
    const message = exitCancelledMessage(cancelledBy)
    await close(run, { message, exit: null, rejected: false, unprotected: null })
    return true
  }
  if (why === 'over' && sessionEndsAt === undefined && timeIsOver === undefined) {
    const decision = await cancelExitFor(run, levelsEndedBy ?? 'its owner')
    // The order of an earlier decision may be at the broker.
    const earlier = { what: 'order', reason: 'CLOSE_AT_MARKET', terms: EXIT_AT_MARKET, again: null } as const
    if (decision === 'too_late') await placeExit(run, earlier, 0)
    return false
  }
  const { message, unprotected, ...exit } = describeExitEnd(run.exit, (id) => run.placed(id))
  const { coveredQuantity } = run.exit
  const { filledQuantity } = run.entry
  if (compare(coveredQuantity, filledQuantity) >= 0) {
    await close(run, { message, exit, rejected: false, unprotected })
    return true
  }
  // Left by an order that ended shortly before the end of the session of the levels, or filled after it.
  const rest = add(unprotected ?? '0', subtract(filledQuantity, coveredQuantity))
  const over = `The exit plan is over, and ${sharesOf(rest, filledQuantity)} have no exit`
  const isPart = isPositive(run.exitFilled)
  const status = isPart ? 'partially_filled' : 'cancelled'
  await close(run, {
    message: isPart ? `${message}. ${over}` : over,
    exit: { status, reason: 'The exit plan is over' },
    rejected: false,
    unprotected: rest,
  })
  return true
}
