import { withoutTokens } from '../access-token.ts'

export const REDACTED = '[redacted]'

/** The words in the names of fields with secrets, however the words are parted. */
const SECRET_NAME = /api[^a-z0-9]?key|token|secret|pass[^a-z0-9]?(?:w|phrase)|credential|authorization/i

/** Whether a field of this name is taken to hold a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

/**
 * A value of JSON as it may be kept and shown, by the rule of `withoutSecrets()`: what stands under the name of a secret is left
 * out, null and truth values apart, and so are our own tokens and keys wherever they stand, names included.
 *
 * @param value JSON of a bounded depth
 */
export function withoutSecretsIn(value: unknown): unknown {
  if (typeof value === 'string') return withoutTokens(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutSecretsIn)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isHarmless = inner === null || typeof inner === 'boolean'
      return [withoutTokens(name), isSecretName(name) && !isHarmless ? REDACTED : withoutSecretsIn(inner)]
    }),
  )
}
