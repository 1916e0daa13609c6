import type { DenialCode } from '../risk/denial.ts'

/** SENDER_REVOKED: the token may no longer send, and no person has approved. */
export type SenderDenial = Extract<DenialCode, 'SENDER_REVOKED' | 'USER_DISABLED'>

const SENDER_WORDS: Record<SenderDenial, string> = {
  SENDER_REVOKED:
    'The access token or hook that sent it is revoked, has expired or may not send any more, and no person has approved it',
  USER_DISABLED: 'The user is disabled',
}

export const senderDenial = (code: SenderDenial): { code: SenderDenial; detail: string } => ({
  code,
  detail: SENDER_WORDS[code],
})
