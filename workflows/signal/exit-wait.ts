import { compare } from '#domain/decimal.ts'
import { step } from '../steps/steps.ts'
import { untilOr, type Deadline } from '../steps/waits.ts'
import type { SignalRun } from './run.ts'

/**
 * Waits like {@link untilOr}, and meanwhile lets the books know of fills of the entry that come late: until they do the
 * feed brings them again at every comparison.
 */
export async function untilOrFilledFurther(
  run: SignalRun,
  cameAbout: () => boolean,
  deadline: Deadline | null,
): Promise<boolean> {
  for (;;) {
    const known = run.entry.filledQuantity
    const isFilledFurther = () => compare(run.entry.filledQuantity, known) > 0
    const came = await untilOr(run, () => cameAbout() || isFilledFurther(), deadline)
    if (cameAbout() || !came) return cameAbout()
    await step('recordNoted', 'Take note of a late fill', {
      signalId: run.terms.signalId,
      settles: run.endedOrders,
    })
  }
}
