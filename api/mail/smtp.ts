import { createTransport } from 'nodemailer'
import type { Mailer } from './mailer.ts'

/** TLS wherever the server offers it. */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url, {
    from,
    // Links in messages open accounts: nothing is ever read from a file or the web.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text }) {
      // As an object, so that commas do not make two addresses.
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}
