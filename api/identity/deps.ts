import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import type { Plan } from '#db/identity/users.ts'
import type { Background } from '../http/background.ts'
import type { Limits } from '../access/limits.ts'
import type { Mailer, EmailTemplates } from '../mail/mail.ts'
import type { SigningKeys } from '../access/access-jwt.ts'
import type { CookieDoor } from '../http/cookies.ts'
import type { HandOutSession, DeviceKeys, RememberDevice } from './sessions.ts'

export interface IdentityDeps {
  signingKeys: SigningKeys
  deviceKeys: DeviceKeys
  secretKeys: EncryptionKeys
  limits: Limits
  mailer: Mailer
  emailTemplates: EmailTemplates
  background: Background
  settings: IdentitySettings
}

export interface IdentitySettings {
  /** first-user: only the first person with the setup secret becomes administrator. */
  REGISTRATION: 'open' | 'closed' | 'first-user'
  SETUP_SECRET: string
  DEFAULT_PLAN: Plan
  PUBLIC_URL: string
  WEBHOOK_URL?: string | undefined
}

export interface SessionDeps extends IdentityDeps {
  cookieDoor: CookieDoor
  rememberDevice: RememberDevice
  handOutSession: HandOutSession
}
