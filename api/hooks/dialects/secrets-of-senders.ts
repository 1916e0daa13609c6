import { isSecretName } from '../../http/validation/secrets.ts'

/** Names of secrets that other services take in a body, beside those that say so themselves. */
const OTHER_SECRETS: ReadonlySet<string> = new Set([
  'license',
  'licenseid',
  'licence',
  'licenceid',
  'pin',
  'auth',
])

/** Whether a field is taken to hold a secret that another service asked for: it means nothing here. */
export const isSecretOfSender = (name: string): boolean =>
  isSecretName(name) || OTHER_SECRETS.has(name.toLowerCase().replaceAll(/[._\- ]/g, ''))

/** A value of JSON without its secrets, of a bounded depth. */
export function withoutSecretFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutSecretFields)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecretOfSender(name))
      .map(([name, inner]) => [name, withoutSecretFields(inner)]),
  )
}
