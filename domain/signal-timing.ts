import type { ExecuteMode } from './signal.ts'

/** The instants on the way of a signal, in their order. */
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

/** The phases that take time by the service, the broker or the market; `total` is from the start to the broker's acceptance. */
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

/** The instant that ends a phase, and the one that begins it: the first of `since` that is known. */
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

/**
 * When the service began to work on a signal: without the wait for a person, whoever asked for one, or for the time of a
 * scheduled one; null while it waits. Instants are UTC.
 */
export const startOf = <Instant>(signal: {
  executeMode: ExecuteMode
  receivedAt: Instant
  decidedAt: Instant | null
  scheduledAt: Instant | null
}): Instant | null =>
  signal.decidedAt ??
  { immediate: signal.receivedAt, pending: null, scheduled: signal.scheduledAt }[signal.executeMode]

/**
 * Milliseconds that a phase took; null where it has not ended, or its beginning is not known. A broker's clock may differ
 * from the service's: what it tells to have been before is taken to have happened at once.
 *
 * @param instants milliseconds since the epoch
 */
export function tookMs(
  phase: TimedPhase,
  instants: Partial<Record<SignalInstant, number | null>>,
): number | null {
  const { since, until } = PHASE_SPANS[phase]
  const begin = since.map((name) => instants[name] ?? null).find((at) => at !== null)
  const end = instants[until] ?? null
  return begin === undefined || end === null ? null : Math.max(0, end - begin)
}
