import { createTransport } from 'nodemailer'
import { appendFile, chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  send(mail: Mail): Promise<void>
  close(): void
}

/** Milliseconds for each answer of the mail server. */
const MAIL_ANSWER_LIMIT_MS = 10_000

/** TLS wherever the server offers it. */
export function smtpMailer(url: string, from: string): Mailer {
  const limits = {
    connectionTimeout: MAIL_ANSWER_LIMIT_MS,
    greetingTimeout: MAIL_ANSWER_LIMIT_MS,
    socketTimeout: MAIL_ANSWER_LIMIT_MS,
  }
  const transport = createTransport(
    { url, ...limits },
    {
      from,
      // Links open accounts: nothing is read from elsewhere.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  )
  return {
    async send({ to, subject, text }) {
      // An object, so that commas do not make two addresses.
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}

export interface StoredMail extends Mail {
  /** UTC instant. */
  at: string
}

export interface Mailbox extends Mailer {
  list(): Promise<StoredMail[]>
}

export function fileMailbox(path: string): Mailbox {
  return {
    async send(mail) {
      await mkdir(dirname(path), { recursive: true })
      await appendFile(path, `${JSON.stringify({ at: new Date().toISOString(), ...mail })}\n`, {
        mode: 0o600,
      })
      await chmod(path, 0o600)
    },
    async list() {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
        throw error
      })
      const lines = text.split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line) as StoredMail).toReversed()
    },
    close: () => {},
  }
}

/** A request's host could be a stranger's: links use the configured address. */
export interface EmailTemplates {
  confirmRegistration(to: string, secret: string): Mail
  alreadyRegistered(to: string): Mail
  resetPassword(to: string, secret: string): Mail
  invitation(to: string, secret: string): Mail
  passwordChanged(to: string): Mail
  secondFactorChanged(to: string, change: 'enabled' | 'disabled'): Mail
  secondFactorTakenAway(to: string, reason: string): Mail
  manyCodesTried(to: string): Mail
}

export function createEmailTemplates(publicUrl: string): EmailTemplates {
  // Behind the hash a secret stays in the browser, out of logs.
  const link = (path: string, secret: string): string => `${publicUrl}${path}#token=${secret}`
  return {
    confirmRegistration: (to, secret) => ({
      to,
      subject: 'Confirm your address',
      text: [
        'You, or another person, registered with this address. Confirm it within a day, with your password:',
        link('/confirm', secret),
        'If it was not you, do nothing: no account will be made.',
      ].join('\n\n'),
    }),
    alreadyRegistered: (to) => ({
      to,
      subject: 'You have an account already',
      text: [
        'A person tried to register with this address, which has an account already.',
        `If it was you: sign in, or choose a new password at ${publicUrl}/forgot-password`,
        'If it was not you, do nothing.',
      ].join('\n\n'),
    }),
    resetPassword: (to, secret) => ({
      to,
      subject: 'Choose a new password',
      text: [
        'You, or another person, requested a new password. Choose one within half an hour:',
        link('/reset-password', secret),
        'If it was not you, do nothing: your password stays as it is.',
      ].join('\n\n'),
    }),
    invitation: (to, secret) => ({
      to,
      subject: 'You have an account',
      text: [
        'An administrator has made an account for this address. Choose a password within a day:',
        link('/reset-password', secret),
      ].join('\n\n'),
    }),
    passwordChanged: (to) => ({
      to,
      subject: 'Your password was changed',
      text: [
        'The password of your account was changed, and your other sessions were ended.',
        `If it was not you, choose a new one at once: ${publicUrl}/forgot-password`,
      ].join('\n\n'),
    }),
    secondFactorChanged: (to, change) => ({
      to,
      subject: `Two-step sign-in was ${change}`,
      text: [
        `Two-step sign-in of your account was ${change}.`,
        `If it was not you, change your password at once: ${publicUrl}/forgot-password`,
      ].join('\n\n'),
    }),
    secondFactorTakenAway: (to, reason) => ({
      to,
      subject: 'Two-step sign-in was removed',
      text: [
        `The operator of this service has removed the two-step sign-in of your account, and ended all of your sessions: ${reason}`,
        `Sign in with your password, and set it up again: ${publicUrl}`,
        `If you have not asked for it, inform the operator, and change your password at once: ${publicUrl}/forgot-password`,
      ].join('\n\n'),
    }),
    manyCodesTried: (to) => ({
      to,
      subject: 'Many wrong codes were tried',
      text: [
        'Many codes of your authenticator were tried with your password. For a day, only a backup code signs in.',
        `If it was not you, change your password at once: ${publicUrl}/forgot-password`,
      ].join('\n\n'),
    }),
  }
}
