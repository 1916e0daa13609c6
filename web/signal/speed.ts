import type { SignalDetail } from '#client/types.ts'
import { startOf, tookMs } from '#domain/signal/timing.ts'

/** Phase of the way to the broker and back, in milliseconds since the signal was released. */
interface Phase {
  name: string
  start: number
  took: number
}

const NAMES = [
  ['checked', 'Check'],
  ['sent', 'Send'],
  ['acknowledged', 'Answer of the broker'],
] as const

/** Phases without waits for a person, a scheduled time, or the market. */
export function phasesOf({ timings, executeMode, decidedAt, scheduledAt }: SignalDetail): Phase[] {
  const startedAt = startOf({ executeMode, receivedAt: timings.receivedAt, decidedAt, scheduledAt })
  if (startedAt === null) return []
  const instants = {
    startedAt: Date.parse(startedAt),
    checkedAt: parsed(timings.checkedAt),
    sentAt: parsed(timings.sentAt),
    acknowledgedAt: parsed(timings.acknowledgedAt),
  }
  return NAMES.flatMap(([phase, name]) => {
    const took = tookMs(phase, instants)
    if (took === null) return []
    return [{ name, took, start: Math.max(0, instants[`${phase}At`]! - took - instants.startedAt) }]
  })
}

const parsed = (instant: string | null): number | null => (instant === null ? null : Date.parse(instant))

/** Milliseconds from the signal's release to the broker's answer. */
export const totalOf = (phases: readonly Phase[]): number =>
  phases.reduce((end, { start, took }) => Math.max(end, start + took), 0)
