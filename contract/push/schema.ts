import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { lineOfText, trueOrFalse } from '../values/values.ts'

const LONGEST_ENDPOINT = 2_000
const LONGEST_DEVICE = 100
const PRINTABLE = /^[!-~]+$/

/** Base64url, with or without padding. */
const bytes = (length: number, what: string) =>
  z
    .string({ error: 'must be text' })
    .refine((text) => text.length <= 200 && /^[\w-]+={0,2}$/.test(text), 'must be base64url')
    .transform((text) => Buffer.from(text, 'base64url'))
    .refine((key) => key.length === length, `must be ${what}`)

const publicKey = () =>
  bytes(65, 'an uncompressed point of P-256: 65 bytes')
    .refine((key) => key[0] === 4 && isOnCurve(key), 'must be a point of P-256')
    .transform((key) => key.toString('base64url'))
    .meta({ type: 'string', minLength: 87, maxLength: 88 })

export const subscriptionRequest = {
  endpoint: z
    .string({ error: 'must be text' })
    .refine((text) => text.length <= LONGEST_ENDPOINT, `must be at most ${LONGEST_ENDPOINT} characters long`)
    .refine((text) => PRINTABLE.test(text) && URL.canParse(text), 'must be an address')
    .meta({ maxLength: LONGEST_ENDPOINT }),
  keys: z.strictObject(
    {
      p256dh: publicKey(),
      auth: bytes(16, '16 bytes')
        .transform((secret) => secret.toString('base64url'))
        .meta({ type: 'string', minLength: 22, maxLength: 24 }),
    },
    { error: 'must hold p256dh and auth' },
  ),
  device: lineOfText(LONGEST_DEVICE),
}

export const choicesRequest = {
  waitingSignals: trueOrFalse(),
  alerts: trueOrFalse(),
  refused: trueOrFalse(),
  filled: trueOrFalse(),
  closed: trueOrFalse(),
  daySummary: trueOrFalse(),
  showFigures: trueOrFalse(),
}

function isOnCurve(point: Buffer): boolean {
  try {
    ECDH.convertKey(point, 'prime256v1')
    return true
  } catch {
    return false
  }
}
