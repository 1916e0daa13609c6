import type { DenialCode } from './denial.ts'

/**
 * Why the sender of a signal or an order may not open a position any more. SENDER_REVOKED: a token sent it that has lost its
 * right since, and no person has approved it. USER_DISABLED: the account of the user is disabled.
 */
export type SenderDenial = Extract<DenialCode, 'SENDER_REVOKED' | 'USER_DISABLED'>

const SENDER_WORDS: Record<SenderDenial, string> = {
  SENDER_REVOKED:
    'The access token or hook that sent it is revoked, has expired or may not send any more, and no person has approved it',
  USER_DISABLED: 'The user is disabled',
}

/** The code with which an opening order of such a sender is refused. */
export const senderDenial = (code: SenderDenial): { code: SenderDenial; detail: string } => ({
  code,
  detail: SENDER_WORDS[code],
})
