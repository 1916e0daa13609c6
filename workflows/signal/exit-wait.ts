import { compare } from '#domain/decimal.ts'
import { step } from '../steps/steps.ts'
import { waitUntil, type Deadline } from '../steps/waits.ts'
import type { SignalRun } from './run.ts'

/**
 * Waits like {@link waitUntil}, and meanwhile lets the ledger know of fills of the entry that come late: until they do the
 * feed brings them again at every comparison.
 */
export async function waitUntilOrFilledFurther(
  run: SignalRun,
  isReached: () => boolean,
  deadline: Deadline | null,
): Promise<boolean> {
  for (;;) {
    const known = run.entry.filledQuantity
    const isFilledFurther = () => compare(run.entry.filledQuantity, known) > 0
    const came = await waitUntil(run, () => isReached() || isFilledFurther(), deadline)
    if (isReached() || !came) return isReached()
    await step('acknowledgeEnds', 'Take note of a late fill', {
      signalId: run.terms.signalId,
      acknowledges: run.endedOrders,
    })
  }
}
