import { createTransport } from 'nodemailer'
import type { Mailer } from './mailer.ts'

/**
 * Sends by SMTP, over TLS wherever the server offers it.
 *
 * @param url such as `smtps://user:password@mail.example.com`
 * @param from sender, such as `Durable Trader <trader@example.com>`
 */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url, {
    from,
    // Links in these messages open accounts: no attachment or address is ever read from a file or the web.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text }) {
      // As an object, so that commas in an address do not make it two.
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}
