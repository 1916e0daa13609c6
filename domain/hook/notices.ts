import type { AlertNotice } from '../alert/alert.ts'
import type { Expectation } from './expectation.ts'
import type { DueTime } from './silence.ts'

export const hookFirstRequest = (name: string): AlertNotice => ({
  kind: 'hook_first_request',
  message: `The first request came to the hook "${name}"`,
  data: {},
})

export const hookSecretElsewhere = (name: string, ip: string): AlertNotice => ({
  kind: 'hook_secret_elsewhere',
  message: `A request to the hook "${name}" came from ${ip}, which is not in its list of addresses, and was refused: another party has its secret, or its sender has a new address`,
  data: { ip },
})

export const senderSilent = (
  { what, name, expects }: { what: 'hook' | 'strategy'; name: string; expects: Expectation },
  { session, from, until }: DueTime,
): AlertNotice & { data: { session: string } } => {
  const time =
    'everySession' in expects
      ? `by ${expects.everySession} in New York on ${session}`
      : `from the close before to that of ${session}`
  const nothing = what === 'hook' ? 'No request came to the hook' : 'No signal came of the strategy'
  return {
    kind: 'sender_silent',
    message: `${nothing} "${name}" ${time}, and one was expected`,
    data: { session, from, until },
  }
}
