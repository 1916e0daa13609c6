import { z } from 'zod'
import { type TokenBounds, SCOPES } from '#domain/risk/token-bounds.ts'
import { eachOnce, lineOfText, oneOf, positiveDecimal, symbol, trueOrFalse, uuid } from '../values/values.ts'
import { MAX_PASSWORD_BYTES } from './password-rules.ts'
import { paging } from '../values/query.ts'

/** RFC 5321. */
const MAX_ADDRESS = 254

export const email = () =>
  z
    .string({ error: 'must be text' })
    .max(MAX_ADDRESS, `must be at most ${MAX_ADDRESS} characters long`)
    .regex(/^[\u0021-\u007e]+$/, 'must consist of ASCII characters without blanks')
    .regex(/^([^@]{1,64}@|[^@]*$)/, 'must have at most 64 characters before the @')
    .pipe(z.email('must be an e-mail address'))
    .meta({ pattern: z.regexes.email.source })

/** Unchanged, with blanks. Broken surrogate pairs would become equal. */
const password = () =>
  z
    .string({ error: 'must be text' })
    .min(1, 'must not be empty')
    .refine((text) => text.isWellFormed(), 'must not contain broken surrogate pairs')
    .refine(
      (text) => Buffer.byteLength(text) <= MAX_PASSWORD_BYTES,
      `must have at most ${MAX_PASSWORD_BYTES} bytes`,
    )

const code = () => lineOfText(64)
const secret = () => lineOfText(128)

export const registration = { email: email(), password: password(), setupSecret: secret().optional() }
export const confirmation = { token: secret(), password: password() }
export const login = {
  email: email(),
  password: password(),
  session: oneOf(['token', 'cookie']).default('token'),
}
export const refresh = { refreshToken: secret().optional() }
export const logout = refresh
export const forgottenPassword = { email: email() }
export const passwordReset = { token: secret(), password: password() }
export const passwordChange = {
  currentPassword: password(),
  newPassword: password(),
  code: code().optional(),
}
export const proof = { password: password().optional(), code: code().optional() }
export const passwordAndCode = { password: password(), code: code() }
export const secondStep = {
  mfaToken: secret().optional(),
  code: code(),
  session: oneOf(['token', 'cookie']).default('token'),
}
export const desktopLogin = {
  email: email(),
  password: password(),
  code: code().optional(),
  deviceName: lineOfText(100),
}
export const deviceLogin = { deviceName: lineOfText(100) }
export const devicePoll = { deviceCode: secret() }

const INSTANT_WITH_ZONE = 'must be an instant such as 2027-01-31T00:00:00Z'

export const scopes = () =>
  z
    .array(oneOf(SCOPES), { error: 'must be a list of scopes' })
    .min(1, 'must name at least one scope')
    .max(SCOPES.length, 'must name each scope once')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'must name each scope once')

/** Default: a year; the command checks the maximum. */
export const expiry = () =>
  z.iso
    .datetime({ offset: true, error: INSTANT_WITH_ZONE })
    .transform((text) => new Date(text))
    .refine((at) => at.getTime() > Date.now(), 'must be in the future')
    .refine((at) => at.getUTCFullYear() <= 9999, 'must be before the year 10000, in UTC too')
    .optional()

const MOST_DOLLARS = '100000000000'

export const MERGES_REPEATS =
  'Bodies of signals without sourceId that are equal to the letter, for one account within 30 seconds of the first, are one signal: the others are answered 200 with it and the advisory repeated_body'

const bounds = () =>
  z
    .strictObject(
      {
        pendingOnly: trueOrFalse()
          .describe('It opens positions by pending signals only, which a person approves')
          .optional(),
        accountIds: eachOnce(uuid(), 'accounts', 50).describe('It acts on these accounts only'),
        symbols: eachOnce(symbol(), 'symbols', 200).describe('It opens positions in these symbols only'),
        maxOrderValue: positiveDecimal(MOST_DOLLARS)
          .describe(
            'Dollars that an order which opens a position, and that no person approved, is worth at most',
          )
          .optional(),
        ownSignalsOnly: trueOrFalse()
          .describe('It withdraws, replaces and cancels only what it has sent itself')
          .optional(),
      },
      {
        error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'must be an object with bounds'),
      },
    )
    .transform(({ pendingOnly, accountIds, symbols, maxOrderValue, ownSignalsOnly }): TokenBounds => ({
      ...(pendingOnly && { pendingOnly }),
      ...(accountIds && { accountIds }),
      ...(symbols && { symbols }),
      ...(maxOrderValue !== undefined && { maxOrderValue }),
      ...(ownSignalsOnly && { ownSignalsOnly }),
    }))
    .optional()

export const tokenCreation = {
  label: lineOfText(100),
  scopes: scopes(),
  expiresAt: expiry(),
  bounds: bounds(),
  mergesRepeats: trueOrFalse().describe(MERGES_REPEATS).default(false),
}

export const tokenChange = { mergesRepeats: trueOrFalse().describe(MERGES_REPEATS) }

export const auditLogQuery = z.strictObject(paging)
export const tokenListQuery = z.strictObject(paging)

export const renewalHeaders = z.object({
  'Renewal-Key': z
    .string()
    .describe(
      'For a session in a cookie: the `renewalKey` of its sign-in, without which the cookie is worth nothing',
    )
    .optional(),
})

/** Consonants that form no words and are not misread; RFC 8628, section 6.1. */
export const USER_CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'

export const USER_CODE_LENGTH = 8

export function parseUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[^A-Z]/g, '')
  return code.length === USER_CODE_LENGTH &&
    Array.from(code).every((letter) => USER_CODE_ALPHABET.includes(letter))
    ? `${code.slice(0, 4)}-${code.slice(4)}`
    : null
}

export const userCode = () =>
  z
    .string()
    .refine((text) => parseUserCode(text) !== null)
    .transform((text) => parseUserCode(text)!)
    .describe('The code that the device shows; case and dashes do not matter')

export function wordsOfRevoking(
  revoked: string,
  choice: SignalsOfRevoked,
  { waiting, withdrawn }: RevokedSignals,
): string {
  if (waiting + withdrawn === 0) return revoked
  if (choice === 'keep')
    return `${revoked}. Signals of it that wait and are kept: ${waiting}. Pending ones can be approved by a person, closing ones are sent at their time, and opening ones end at their time as rejected (SENDER_REVOKED)`
  const rest = waiting === 0 ? '' : `, to be withdrawn in a moment: ${waiting}. None of them opens a position`
  return `${revoked}. Signals of it that waited and are withdrawn: ${withdrawn}${rest}`
}

export const SIGNALS_OF_REVOKED = ['withdraw', 'keep'] as const

export type SignalsOfRevoked = (typeof SIGNALS_OF_REVOKED)[number]

export interface RevokedSignals {
  waiting: number
  withdrawn: number
}
