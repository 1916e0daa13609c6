import {
  createEmailTemplates,
  type EmailTemplates,
  fileMailbox,
  type Mail,
  smtpMailer,
} from '#api/mail/mail.ts'
import { apiSettings, readSettings } from '#config/env.ts'
import { StartupError } from '../processes/startup-error.ts'
import type { Installation } from '../start/installation.ts'

export function addressOf({ webUrl }: Pick<Installation, 'webUrl'>): string {
  const { PUBLIC_URL, API_PORT } = readSettings(apiSettings)
  return PUBLIC_URL ?? webUrl ?? `http://127.0.0.1:${API_PORT}`
}

/**
 * Sends the owner a message about the command. Throws {@link StartupError} if it cannot be sent: the caller must then
 * notify them.
 */
export async function writeLetter(
  installation: Installation,
  compose: (templates: EmailTemplates) => Mail,
): Promise<void> {
  const letter = compose(createEmailTemplates(addressOf(installation)))
  const { SMTP_URL, MAIL_FROM } = readSettings(apiSettings)
  const mailer =
    SMTP_URL === undefined ? fileMailbox(installation.mailboxFile) : smtpMailer(SMTP_URL, MAIL_FROM)
  try {
    await mailer.send(letter)
  } catch (error) {
    throw new StartupError(
      `That is done, but the message about it could not be sent (${(error as Error).message}): inform ${letter.to} yourself.`,
      { cause: error },
    )
  } finally {
    mailer.close()
  }
}
