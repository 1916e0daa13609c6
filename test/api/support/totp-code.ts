import { Secret, TOTP } from 'otpauth'

/** The code that an authenticator application shows at a moment. */
export const totpCodeAt = (secret: string, nowMs: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs })
