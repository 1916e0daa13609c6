/** Why a group has no signal of its own for one of its accounts. */
export interface GroupRefusal {
  accountId: string
  /** Stable, for programs. */
  code: string
  message: string
  /** The earlier signal that stands in its place, because it holds the sourceId or is repeated; null without one. */
  signalId: string | null
}

/** The code of the refusal in whose place an earlier signal stands. */
export const EARLIER_SIGNAL = 'EARLIER_SIGNAL'

/** In the place of the reason for a refusal while it is not known: for good where the process dies before it is found. */
export const NOT_STORED = { code: 'NOT_STORED', message: 'The account did not take the signal' }
