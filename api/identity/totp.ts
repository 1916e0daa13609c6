import { Secret, TOTP } from 'otpauth'

/** RFC 6238 as every authenticator application has it: SHA-1, six digits, half a minute. */
const PERIOD_SECONDS = 30
const WINDOW = 1
const SECRET_BYTES = 20

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

export const totpUri = (secret: string, email: string, issuer: string): string =>
  generator(secret, email, issuer).toString()

/** Null for a wrong code, after the same time. The caller accepts each step only once. */
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
