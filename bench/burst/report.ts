import { percentile } from '../load.ts'
import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import type { Burst } from './run.ts'

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`

/** The report for people. */
export function burstText({ options, exitsLate, ...burst }: Burst): string {
  const { cores, load } = machineOf()
  return [
    `${options.signals} scheduled signals due in the same second, ${options.exits} exits meanwhile`,
    `${cores} cores, load ${load}`,
    '',
    ...table([
      ['first order after', seconds(burst.firstOrder)],
      ['last order after', seconds(burst.lastOrder)],
      ['entries a second', burst.entriesPerSecond.toFixed(0)],
      ['the floor’s calls a second', burst.floorPerSecond.toFixed(0)],
      ['entries / floor', (burst.entriesPerSecond / burst.floorPerSecond).toFixed(2)],
      ...(exitsLate.length > 0
        ? [
            ['exits late, half of them by', seconds(percentile(exitsLate, 0.5))],
            ['exits late, all of them by', seconds(percentile(exitsLate, 1))],
          ]
        : []),
      ['workflow tasks that failed', String(burst.tasksInVain.failed)],
      ['workflow tasks that timed out', String(burst.tasksInVain.timedOut)],
    ]),
  ].join('\n')
}
