export interface GroupRefusal {
  accountId: string
  code: string
  message: string
  signalId: string | null
}

export const EARLIER_SIGNAL = 'EARLIER_SIGNAL'

/** Until the reason is known; permanent if the process dies before. */
export const NOT_STORED = { code: 'NOT_STORED', message: 'The account did not take the signal' }
