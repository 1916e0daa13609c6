import type { EncryptionKeys } from '#db/brokers/secret-box.ts'
import type { Plan } from '#db/identity/users.ts'
import type { Background } from '../http/background.ts'
import type { Limits } from '../access/limits.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { EmailTemplates } from '../mail/email-templates.ts'
import type { SigningKeys } from '../access/access-jwt.ts'
import type { DeviceKeys } from './known-device.ts'

/** What identity needs of the process it runs in. */
export interface IdentityDeps {
  signingKeys: SigningKeys
  /** For cookies by which devices are known. */
  deviceKeys: DeviceKeys
  /** For what is stored encrypted. */
  secretKeys: EncryptionKeys
  limits: Limits
  mailer: Mailer
  emailTemplates: EmailTemplates
  background: Background
  settings: IdentitySettings
}

export interface IdentitySettings {
  /** first-user: whoever comes first with the setup secret becomes the administrator, and nobody after. */
  REGISTRATION: 'open' | 'closed' | 'first-user'
  SETUP_SECRET: string
  /** Of users who register. */
  DEFAULT_PLAN: Plan
  /** Where people reach the service. */
  PUBLIC_URL: string
}

/** Where a request comes from, for sessions and the audit log. */
export interface Caller {
  ip: string
  /** What the browser or program calls itself. */
  userAgent: string
  /** By which it claims to be a known device; null without it. */
  deviceToken: string | null
  requestId: string
}
