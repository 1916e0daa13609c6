import type { ExecuteMode } from './signal.ts'

export const SIGNAL_INSTANTS = [
  'receivedAt',
  'startedAt',
  'checkedAt',
  'sentAt',
  'acknowledgedAt',
  'filledAt',
  'exitDueAt',
  'exitSentAt',
  'exitFilledAt',
] as const
export type SignalInstant = (typeof SIGNAL_INSTANTS)[number]

/** `total`: from start to acceptance by the broker. */
export const TIMED_PHASES = [
  'checked',
  'sent',
  'acknowledged',
  'total',
  'filled',
  'exit_sent',
  'closed',
] as const
export type TimedPhase = (typeof TIMED_PHASES)[number]

/** A phase begins with the first known instant of `since`. */
export const PHASE_SPANS: Readonly<
  Record<TimedPhase, { since: readonly SignalInstant[]; until: SignalInstant }>
> = {
  checked: { since: ['startedAt'], until: 'checkedAt' },
  sent: { since: ['checkedAt', 'startedAt'], until: 'sentAt' },
  acknowledged: { since: ['sentAt', 'checkedAt', 'startedAt'], until: 'acknowledgedAt' },
  total: { since: ['startedAt'], until: 'acknowledgedAt' },
  filled: { since: ['acknowledgedAt'], until: 'filledAt' },
  exit_sent: { since: ['exitDueAt'], until: 'exitSentAt' },
  closed: { since: ['exitSentAt'], until: 'exitFilledAt' },
}

/** UTC, after the wait for approval or a scheduled time; null while it waits. */
export const startOf = <Instant>(signal: {
  executeMode: ExecuteMode
  receivedAt: Instant
  decidedAt: Instant | null
  scheduledAt: Instant | null
}): Instant | null =>
  signal.decidedAt ??
  { immediate: signal.receivedAt, pending: null, scheduled: signal.scheduledAt }[signal.executeMode]

/** Clocks differ: a negative span counts as 0. */
export function tookMs(
  phase: TimedPhase,
  instants: Partial<Record<SignalInstant, number | null>>,
): number | null {
  const { since, until } = PHASE_SPANS[phase]
  const begin = since.map((name) => instants[name] ?? null).find((at) => at !== null)
  const end = instants[until] ?? null
  return begin === undefined || end === null ? null : Math.max(0, end - begin)
}
