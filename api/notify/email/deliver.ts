import { within } from '../../http/deadline.ts'
import { linkOf, unlinkedTexts } from '../content.ts'
import type { Deliver, Delivery } from '../port.ts'

interface EmailSettings {
  address: string
}

const MAX_MAIL_UNITS = 4_000
const MAIL_LIMIT_MS = 15_000

export const deliverEmail: Deliver<EmailSettings> = async ({ address }, notice, deps) => {
  const { title, body } = unlinkedTexts(notice, MAX_MAIL_UNITS)
  const text = [body, linkOf(notice, deps)].filter(Boolean).join('\n\n')
  try {
    // Before another process sends it: the lease of a row is 30 seconds.
    await within(MAIL_LIMIT_MS, 'the mail server', deps.mailer.send({ to: address, subject: title, text }))
    return { is: 'taken' }
  } catch (error) {
    return judgeMail(error as MailError)
  }
}

/** As nodemailer throws it. */
interface MailError extends Error {
  code?: string
  command?: string
  response?: string
  responseCode?: number
}

/** RFC 5321, section 4.2.3: there is no such mailbox. */
const NO_MAILBOX: readonly number[] = [550, 551, 553]

function judgeMail(error: MailError): Delivery {
  const { code, command, response = '', responseCode } = error
  if (responseCode === undefined) throw error
  const reason = `the mail server answered ${responseCode}`
  // The sender's own account is not accepted, which is no fault of the address.
  if (code === 'EAUTH' || responseCode < 500) return { is: 'failed', reason, retryAfter: null }
  // 5.7: a policy of the server (RFC 3463), which the same mailbox may pass later.
  const isPolicy = /^\d{3}[ -]5\.7\./.test(response)
  const isGone = command === 'RCPT TO' && NO_MAILBOX.includes(responseCode) && !isPolicy
  return { is: isGone ? 'gone' : 'refused', reason }
}
