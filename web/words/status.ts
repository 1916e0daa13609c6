import type { Signal, SignalStatus } from '#client/types.ts'
import { HELD_FOR_APPROVAL } from '#domain/signal/advisory.ts'
import type { CancelReason } from '#domain/risk/denial.ts'
import { EXIT_STATUSES } from '#domain/exit/exit.ts'
import { isFailed, SIGNAL_STATUSES } from '#domain/signal/signal.ts'
import { gain, money, number } from './figures.ts'
import { filledSentence } from './signal.ts'
import { listTime, timeLeft, type Zone } from './times.ts'

export type ExitStatus = NonNullable<Signal['exit']>['status']
export type ExecuteMode = Signal['executeMode']

export const STATUS_NAMES = {
  pending: 'needs approval',
  scheduled: 'waits for its time',
  queued: 'about to be sent',
  transmitted: 'sent, no answer yet',
  executed: 'executed',
  rejected: 'rejected',
  cancelled: 'cancelled',
  error: 'not placed',
} as const satisfies Record<SignalStatus, string>

export const EXIT_NAMES = {
  waiting: 'exit waits for the entry',
  scheduled: 'exit planned',
  submitted: 'exit working',
  filled: 'closed',
  partially_filled: 'exit filled in part',
  cancelled: 'exit cancelled',
  failed: 'exit failed',
} as const satisfies Record<ExitStatus, string>

export const MODE_NAMES = {
  immediate: 'sent at once',
  scheduled: 'at a time',
  pending: 'after approval',
} as const satisfies Record<ExecuteMode, string>

export const STATUSES: readonly SignalStatus[] = SIGNAL_STATUSES
export const EXITS: readonly ExitStatus[] = EXIT_STATUSES

const CANCELLED = {
  WITHDRAWN: 'withdrawn',
  EXPIRED: 'expired',
  SUPERSEDED: 'replaced',
  AT_TARGET: 'at its target',
  TARGET_SUPERSEDED: 'replaced by a newer target',
} as const satisfies Record<CancelReason, string>

/** End of a signal without an execution: "expired", "declined", "rejected". */
export function endOf({ status, statusReason }: Pick<Signal, 'status' | 'statusReason'>): string {
  if (status === 'cancelled') return CANCELLED[statusReason as CancelReason] ?? 'cancelled'
  return statusReason === 'DECLINED' ? 'declined' : STATUS_NAMES[status]
}

export type Tone = 'quiet' | 'accent' | 'good' | 'warn' | 'danger'

export function standing(signal: Signal): { text: string; tone: Tone } {
  const { status, exit } = signal
  if (isFailed(status))
    return { text: endOf(signal), tone: status === 'cancelled' || wasDeclined(signal) ? 'quiet' : 'danger' }
  if (status === 'transmitted' && signal.filledQuantity > 0) return { text: 'filled', tone: 'quiet' }
  if (status !== 'executed') return { text: STATUS_NAMES[status], tone: TONES[status] }
  if (exit === null) return { text: signal.filledQuantity > 0 ? 'filled' : 'at the broker', tone: 'quiet' }
  return { text: EXIT_NAMES[exit.status], tone: EXIT_TONES[exit.status] }
}

const wasDeclined = ({ statusReason }: Signal): boolean => statusReason === 'DECLINED'

const TONES: Record<SignalStatus, Tone> = {
  pending: 'warn',
  scheduled: 'accent',
  queued: 'accent',
  transmitted: 'warn',
  executed: 'quiet',
  rejected: 'danger',
  cancelled: 'quiet',
  error: 'danger',
}
const EXIT_TONES: Record<ExitStatus, Tone> = {
  waiting: 'accent',
  scheduled: 'accent',
  submitted: 'accent',
  filled: 'good',
  partially_filled: 'warn',
  cancelled: 'warn',
  failed: 'danger',
}

/** Reason why approval is required, in the service's words; null for none. */
export const heldBecause = ({ advisories }: Pick<Signal, 'advisories'>): string | null =>
  advisories.find(({ code }) => code === HELD_FOR_APPROVAL)?.message ?? null

export const otherAdvisories = <A extends { code: string }>(advisories: readonly A[]): A[] =>
  advisories.filter(({ code }) => code !== HELD_FOR_APPROVAL)

/** Next step and its time, the fill, or the reason of the failure. */
export function detail(signal: Signal, now: number, zone: Zone): string {
  const { status, exit, validUntil, scheduledAt } = signal
  if (isFailed(status)) return signal.statusDetail ?? signal.statusReason ?? ''
  if (status === 'pending') {
    if (validUntil === null) return 'no time limit'
    const left = Date.parse(validUntil) - now
    return left > 0 ? `ends in ${timeLeft(left)}` : 'expired'
  }
  if (status === 'scheduled') return scheduledAt === null ? '' : listTime(scheduledAt, now, zone)
  if (status !== 'executed') return ''
  const filled = signal.filledQuantity > 0 ? filledSentence(signal) : 'Working at the broker'
  if (signal.closed) return `${filled}, result ${gain(signal.closed.realisedPnl)}`
  return exit?.status === 'scheduled' && exit.submitAt !== null
    ? `${filled}, exit ${listTime(exit.submitAt, now, zone)}`
    : filled
}

/** "10 at $227.98"; without the price while none is known. */
export const filledAt = (quantity: number, price: number | null): string =>
  price === null ? number(quantity) : `${number(quantity)} at ${money(price)}`
