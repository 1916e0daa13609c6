import { isExitAhead, type ExitStatus } from './exit.ts'
import type { ExecuteMode } from './signal.ts'

export const SIGNAL_STATUSES = [
  'pending',
  'scheduled',
  'queued',
  'transmitted',
  'executed',
  'rejected',
  'cancelled',
  'error',
] as const
/**
 * pending waits for a person, scheduled for its time; queued is durably accepted and not yet sent;
 * transmitted is sent with the broker's answer unknown; executed is accepted by the broker. rejected,
 * cancelled and error end a signal, and free its sourceId as soon as none of its orders can work.
 */
export type SignalStatus = (typeof SIGNAL_STATUSES)[number]

/**
 * The one table of signal transitions; every write goes through it and whatever it does not list is an error.
 * executed -> rejected: a broker may reject an order after it accepted it.
 * executed -> cancelled: a replacement cancelled the working, unfilled order.
 * scheduled or queued -> pending: a rule of its owner lets a person approve it.
 * transmitted -> pending: nothing had left after all, its decision was taken back, and its approval is not taken.
 */
const TRANSITIONS: Record<SignalStatus, readonly SignalStatus[]> = {
  pending: ['queued', 'transmitted', 'executed', 'rejected', 'cancelled', 'error'],
  scheduled: ['pending', 'queued', 'transmitted', 'executed', 'rejected', 'cancelled', 'error'],
  queued: ['pending', 'transmitted', 'executed', 'rejected', 'cancelled', 'error'],
  transmitted: ['pending', 'executed', 'rejected', 'cancelled', 'error'],
  executed: ['rejected', 'cancelled'],
  rejected: [],
  cancelled: [],
  error: [],
}

/** The status with which a signal of each mode is accepted. */
export const FIRST_STATUS = {
  immediate: 'queued',
  scheduled: 'scheduled',
  pending: 'pending',
} as const satisfies Record<ExecuteMode, SignalStatus>

/** A signal in one of these has been accepted and waits for a person or for its time. */
export const isWaiting = (status: SignalStatus): boolean => status === 'pending' || status === 'scheduled'

export const mayBecome = (from: SignalStatus, to: SignalStatus): boolean => TRANSITIONS[from].includes(to)

/** Every status from which `to` may be reached. */
export const statusesBefore = (to: SignalStatus): SignalStatus[] =>
  SIGNAL_STATUSES.filter((from) => mayBecome(from, to))

/** The entry of a signal in one of these was accepted here and is not known to be at the broker. */
export const UNPLACED_STATUSES = [
  'pending',
  'scheduled',
  'queued',
  'transmitted',
] as const satisfies SignalStatus[]

/** A signal in one of these may have sent its entry, or is about to, and its broker is not known to have it. */
export const LEAVING_STATUSES = ['queued', 'transmitted'] as const satisfies SignalStatus[]

/** A signal in one of these has ended; its sourceId may be used again unless the ledger knows of an order that can work. */
export const FREED_STATUSES = ['rejected', 'cancelled', 'error'] as const satisfies SignalStatus[]
export type FreedStatus = (typeof FREED_STATUSES)[number]

export const isFailed = (status: SignalStatus): boolean =>
  (FREED_STATUSES as readonly SignalStatus[]).includes(status)

/** Whether a person may still approve, change or decline it. */
export const mayBeDecided = (status: SignalStatus): boolean => status === 'pending'

/** Whether it may still be withdrawn, as far as the ledger knows: it has not been decided that its order goes out. */
export const mayBeWithdrawn = (status: SignalStatus): boolean => isWaiting(status) || status === 'queued'

/**
 * Whether the exit may still be cancelled, as far as the ledger knows: the entry is with the broker and no exit order has
 * been sent.
 *
 * @param exit null for a signal without one
 */
export const mayCancelExit = (signal: SignalStatus, exit: ExitStatus | null): boolean =>
  signal === 'executed' && exit !== null && isExitAhead(exit)
