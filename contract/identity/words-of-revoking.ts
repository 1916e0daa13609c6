export function wordsOfRevoking(
  revoked: string,
  choice: SignalsOfRevoked,
  { waiting, withdrawn }: RevokedSignals,
): string {
  if (waiting + withdrawn === 0) return revoked
  if (choice === 'keep')
    return `${revoked}. Signals of it that wait and are kept: ${waiting}. Pending ones can be approved by a person, closing ones are sent at their time, and opening ones end at their time as rejected (SENDER_REVOKED)`
  const rest = waiting === 0 ? '' : `, to be withdrawn in a moment: ${waiting}. None of them opens a position`
  return `${revoked}. Signals of it that waited and are withdrawn: ${withdrawn}${rest}`
}

export const SIGNALS_OF_REVOKED = ['withdraw', 'keep'] as const

export type SignalsOfRevoked = (typeof SIGNALS_OF_REVOKED)[number]

export interface RevokedSignals {
  waiting: number
  withdrawn: number
}
