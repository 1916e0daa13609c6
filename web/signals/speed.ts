import type { SignalDetail } from '#client/types.ts'

/** One phase of the way to the broker and back, in milliseconds since the signal was let go. */
export interface Phase {
  name: string
  start: number
  took: number
}

/**
 * How fast each phase was, without the waits for a person, for the time of a scheduled signal, or for the market. A broker's
 * clock may differ from the service's: what it tells to have been before is taken to have happened at once.
 */
export function phasesOf({ timings, executeMode, decidedAt, scheduledAt }: SignalDetail): Phase[] {
  const letGo = { immediate: timings.receivedAt, pending: decidedAt, scheduled: scheduledAt }[executeMode]
  const marks = [
    ['Check', timings.checkedAt],
    ['Send', timings.sentAt],
    ['Answer of the broker', timings.acknowledgedAt],
  ] as const
  const phases: Phase[] = []
  let before = letGo
  for (const [name, at] of marks) {
    if (at === null) continue
    if (letGo !== null && before !== null)
      phases.push({
        name,
        start: Math.max(0, Date.parse(before) - Date.parse(letGo)),
        took: Math.max(0, Date.parse(at) - Date.parse(before)),
      })
    before = at
  }
  return phases
}

/** Milliseconds from the moment at which it was let go to the broker's answer. */
export const totalOf = (phases: readonly Phase[]): number =>
  phases.reduce((end, { start, took }) => Math.max(end, start + took), 0)
