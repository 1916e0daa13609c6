import { Secret, TOTP } from 'otpauth'

/** RFC 6238 as every authenticator application has it: SHA-1, six digits, half a minute. */
const PERIOD_SECONDS = 30
/** Steps, either way. */
const WINDOW = 1
const SECRET_BYTES = 20

/** Base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

export const totpUri = (secret: string, email: string, issuer: string): string =>
  generator(secret, email, issuer).toString()

/** The time step of a code; null for a wrong one, always after the same time. The caller accepts each step
 * only once. */
export function totpStepOf(secret: string, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = generator(secret).validate({ token: code, timestamp: nowMs, window: WINDOW })
  return delta === null ? null : Math.floor(nowMs / 1_000 / PERIOD_SECONDS) + delta
}

/** The code of a moment; what an authenticator application shows. */
export const totpCodeAt = (secret: string, nowMs: number): string =>
  generator(secret).generate({ timestamp: nowMs })

const generator = (secret: string, label = '', issuer = ''): TOTP =>
  new TOTP({
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    label,
    issuer,
  })
