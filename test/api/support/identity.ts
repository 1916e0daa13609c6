import { randomBytes } from 'node:crypto'
import type { AppDeps } from '#api/app.ts'
import { parseTrustedProxies } from '#contract/values/networks.ts'
import type { Limits } from '#api/access/limits.ts'
import { unlimited } from '#api/access/unlimited.ts'
import type { Mail, Mailer } from '#api/mail/mail.ts'
import { secretKeys } from '../../support/secret-keys.ts'

/** Messages that would have been sent, the last one last. */
export interface SentMail extends Mailer {
  sent: Mail[]
}

export function recordingMailer(): SentMail {
  const sent: Mail[] = []
  return { sent, send: async (mail) => void sent.push(mail), close: () => {} }
}

const oneKey = () => ({ current: 'k1', keys: new Map([['k1', randomBytes(32)]]), retiredAt: new Map() })

export const identitySettings = {
  REGISTRATION: 'first-user',
  SETUP_SECRET: 'the setup secret of the tests',
  DEFAULT_PLAN: 'FREE',
  PUBLIC_URL: 'https://trader.example.com',
} as const

/** What the application needs for identity: fresh keys, no limits, and mail that stays here. */
export const identityForTests = ({
  limits = unlimited,
  mailer = recordingMailer(),
  mailbox = null,
  proxies = '',
}: {
  limits?: Limits | undefined
  mailer?: Mailer | undefined
  mailbox?: AppDeps['mailbox'] | undefined
  /** As TRUSTED_PROXIES lists them. */
  proxies?: string | undefined
} = {}): Pick<AppDeps, 'identity' | 'mailbox' | 'proxies' | 'corsOrigins'> => ({
  identity: { signingKeys: oneKey(), deviceKeys: oneKey(), secretKeys, limits, mailer },
  mailbox,
  proxies: parseTrustedProxies(proxies),
  corsOrigins: ['https://desk.example.com'],
})
