import { Secret, TOTP } from 'otpauth'
import { randomInt } from 'node:crypto'
import { hashOpaqueSecret } from '../access/access-jwt.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  acceptTotpStep,
  beginTotpEnrolment,
  findTotpFactor,
  removeSecondFactor,
  replaceBackupCodes,
  useBackupCode,
} from '#db/identity/second-factor.ts'
import { openSecret, sealSecret, type SecretPlace } from '#db/broker/secret-box.ts'
import { endSessions } from '#db/identity/sessions.ts'
import { lockUser, type UserRecord } from '#db/identity/users.ts'
import { ApiError } from '#contract/errors.ts'
import { countAttempt, forgiveAttempts, sessionKey } from './attempts.ts'
import type { IdentityDeps } from './deps.ts'
import { audit } from './audit.ts'
import type { Origin } from '../http/caller.ts'

/** RFC 6238 as authenticators implement it. */
const PERIOD_SECONDS = 30
const WINDOW = 1
const SECRET_BYTES = 20

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

export const totpUri = (secret: string, email: string, issuer: string): string =>
  generator(secret, email, issuer).toString()

/** Null for a wrong code, after the same time. The caller accepts each step once. */
export function totpStepOf(secret: string, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = generator(secret).validate({ token: code, timestamp: nowMs, window: WINDOW })
  return delta === null ? null : Math.floor(nowMs / 1_000 / PERIOD_SECONDS) + delta
}

const generator = (secret: string, label = '', issuer = ''): TOTP =>
  new TOTP({
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    label,
    issuer,
  })

/** Without the misread 0, O, 1, I, L and U. */
const BACKUP_CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const BACKUP_CODE_GROUPS = 6
const GROUP_LENGTH = 4
const BACKUP_CODES = 10

const normalise = (code: string): string => code.toUpperCase().replace(/[\s-]/g, '')

export interface BackupCode {
  /** Shown once: 117 bits. */
  text: string
  hash: string
}

/** At 117 bits a plain SHA-256 is safe in a stolen database (ASVS 6.5.2 asks for 112). */
export const newBackupCodes = (): BackupCode[] =>
  Array.from({ length: BACKUP_CODES }, () => {
    const text = Array.from({ length: BACKUP_CODE_GROUPS }, group).join('-')
    return { text, hash: hashBackupCode(text) }
  })

export const hashBackupCode = (code: string): string => hashOpaqueSecret(normalise(code))

export const isShapedLikeBackupCode = (code: string): boolean =>
  normalise(code).length === BACKUP_CODE_GROUPS * GROUP_LENGTH

const group = (): string =>
  Array.from(
    { length: GROUP_LENGTH },
    () => BACKUP_CODE_ALPHABET[randomInt(BACKUP_CODE_ALPHABET.length)],
  ).join('')

const AUTHENTICATOR_ISSUER = 'Durable Trader'

const placeOf = (userId: string): SecretPlace => ({
  table: 'totp_factors',
  id: userId,
  userId,
  field: 'secret',
})

/** Throws MFA_ALREADY_ENABLED. */
export async function beginEnrolment(
  { secretKeys }: Pick<IdentityDeps, 'secretKeys'>,
  em: EntityManager,
  user: Pick<UserRecord, 'id' | 'email'>,
): Promise<{ secret: string; uri: string }> {
  const secret = newTotpSecret()
  const begun = await beginTotpEnrolment(em, user.id, sealSecret(secretKeys, placeOf(user.id), secret))
  if (!begun) throw new ApiError('MFA_ALREADY_ENABLED')
  return { secret, uri: totpUri(secret, user.email, AUTHENTICATOR_ISSUER) }
}

/** Ends the other sessions; null for a wrong code. Throws MFA_NOT_ENABLED and MFA_ALREADY_ENABLED. */
export async function confirmEnrolment(
  { secretKeys, limits }: Pick<IdentityDeps, 'secretKeys' | 'limits'>,
  em: EntityManager,
  { userId, sessionId, code }: { userId: string; sessionId: string; code: string },
  caller: Origin,
): Promise<string[] | null> {
  const count = { account: userId, apart: sessionKey(sessionId) }
  await countAttempt(limits, 'secondFactor', count)
  const factor = await findTotpFactor(em, userId)
  if (!factor) throw new ApiError('MFA_NOT_ENABLED')
  if (factor.isConfirmed) throw new ApiError('MFA_ALREADY_ENABLED')
  const secret = openSecret(secretKeys, placeOf(userId), factor.sealedSecret)
  const step = totpStepOf(secret, code, Date.now())
  if (step === null) return null
  const codes = await em.transactional(async (inner) => {
    await lockUser(inner, userId)
    if (!(await acceptTotpStep(inner, userId, step, 'enrolment'))) return null
    // A password alone opened them.
    const ended = await endSessions(inner, userId, { except: sessionId }, 'second_factor_changed')
    await audit(inner, 'second_factor.enabled', userId, caller, { endedSessions: ended.length })
    return writeNewBackupCodes(inner, userId)
  })
  if (codes) await forgiveAttempts(limits, 'secondFactor', count)
  return codes
}

/** Accepts a code once, in the action's transaction `em`. Throws RATE_LIMIT_EXCEEDED. */
export async function isSecondFactor(
  deps: Pick<IdentityDeps, 'secretKeys' | 'limits'>,
  em: EntityManager,
  { userId, code, apart }: { userId: string; code: string; apart: string | null },
): Promise<boolean> {
  const count = { account: userId, apart }
  await countAttempt(deps.limits, 'secondFactor', count)
  const isRight = await isCodeOf(deps, em, userId, code)
  if (isRight) await forgiveAttempts(deps.limits, 'secondFactor', count)
  return isRight
}

/** True once for each code; the caller counts attempts. */
export async function isCodeOf(
  { secretKeys }: Pick<IdentityDeps, 'secretKeys'>,
  em: EntityManager,
  userId: string,
  code: string,
): Promise<boolean> {
  const factor = await findTotpFactor(em, userId)
  if (!factor?.isConfirmed) return false
  const step = totpStepOf(openSecret(secretKeys, placeOf(userId), factor.sealedSecret), code, Date.now())
  return step === null
    ? isShapedLikeBackupCode(code) && (await useBackupCode(em, userId, hashBackupCode(code)))
    : await acceptTotpStep(em, userId, step, 'use')
}

/** Ends the other sessions. The caller checks password and code. */
export async function disableSecondFactor(
  em: EntityManager,
  userId: string,
  sessionId: string,
  caller: Origin,
): Promise<void> {
  await removeSecondFactor(em, userId)
  const ended = await endSessions(em, userId, { except: sessionId }, 'second_factor_changed')
  await audit(em, 'second_factor.disabled', userId, caller, { endedSessions: ended.length })
}

/** Voids the old codes. The caller checks password and code. */
export async function regenerateBackupCodes(
  em: EntityManager,
  userId: string,
  caller: Origin,
): Promise<string[]> {
  const codes = await writeNewBackupCodes(em, userId)
  await audit(em, 'backup_codes.regenerated', userId, caller)
  return codes
}

async function writeNewBackupCodes(em: EntityManager, userId: string): Promise<string[]> {
  const codes = newBackupCodes()
  await replaceBackupCodes(
    em,
    userId,
    codes.map(({ hash }) => hash),
  )
  return codes.map(({ text }) => text)
}
