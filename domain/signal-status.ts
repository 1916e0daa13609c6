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
 * pending waits for a person, scheduled for its time; queued is accepted and not yet sent; transmitted is sent
 * with the broker's answer unknown; executed is accepted by the broker. The others end a signal, and free its
 * sourceId once none of its orders can work.
 */
export type SignalStatus = (typeof SIGNAL_STATUSES)[number]

/**
 * Every write goes through this table. executed -> rejected: a broker may reject an order after it accepted it.
 * executed -> cancelled: a replacement cancelled the unfilled order. scheduled, queued -> pending: it requires
 * approval. transmitted -> pending: nothing was sent, and its approval is not taken.
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

export const FIRST_STATUS = {
  immediate: 'queued',
  scheduled: 'scheduled',
  pending: 'pending',
} as const satisfies Record<ExecuteMode, SignalStatus>

/**
 * waits: its order is not about to leave. leaves: it is, or has left. sent: the broker's answer is not known. placed: the broker has
 * accepted it. over: ended, and the sourceId may be used again unless an order can still work.
 */
export const ENTRY_STAGE = {
  pending: 'waits',
  scheduled: 'waits',
  queued: 'leaves',
  transmitted: 'sent',
  executed: 'placed',
  rejected: 'over',
  cancelled: 'over',
  error: 'over',
} as const satisfies Record<SignalStatus, string>

type Whose<E extends string> = {
  [S in SignalStatus]: (typeof ENTRY_STAGE)[S] extends E ? S : never
}[SignalStatus]

const whose = <E extends string>(...stages: readonly E[]): Whose<E>[] =>
  SIGNAL_STATUSES.filter((status): status is Whose<E> =>
    (stages as readonly string[]).includes(ENTRY_STAGE[status]),
  )

export const isWaiting = (status: SignalStatus): boolean => ENTRY_STAGE[status] === 'waits'

export const mayBecome = (from: SignalStatus, to: SignalStatus): boolean => TRANSITIONS[from].includes(to)

export const statusesBefore = (to: SignalStatus): SignalStatus[] =>
  SIGNAL_STATUSES.filter((from) => mayBecome(from, to))

/** The entry is not known to be at the broker. */
export const UNPLACED_STATUSES = whose('waits', 'leaves', 'sent')
export const LEAVING_STATUSES = whose('leaves', 'sent')
export const FREED_STATUSES = whose('over')
export type FreedStatus = Whose<'over'>

export const isUnplaced = (status: SignalStatus): boolean =>
  (UNPLACED_STATUSES as readonly SignalStatus[]).includes(status)

export const isFailed = (status: SignalStatus): boolean => ENTRY_STAGE[status] === 'over'

export const mayBeDecided = (status: SignalStatus): boolean => status === 'pending'

/** It is not decided yet that its order goes out. */
export const mayBeWithdrawn = (status: SignalStatus): boolean => isWaiting(status) || status === 'queued'

export const mayCancelExit = (signal: SignalStatus, exit: ExitStatus | null): boolean =>
  signal === 'executed' && exit !== null && isExitAhead(exit)
