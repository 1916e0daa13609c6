export interface GroupRefusal {
  accountId: string
  code: string
  message: string
  signalId: string | null
}

export const EARLIER_SIGNAL = 'EARLIER_SIGNAL'

/** While the reason for a refusal is not known: for good where the process dies before it is found. */
export const NOT_STORED = { code: 'NOT_STORED', message: 'The account did not take the signal' }
