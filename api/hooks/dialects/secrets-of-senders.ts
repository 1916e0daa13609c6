import { isSecretName, NOTES, type Place } from '../../http/validation/secrets.ts'

/** Of a bounded depth. Secrets mean nothing here, and are others after each rotation. */
export function withoutSecretFields(value: unknown, place: Place = 'message'): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner) => withoutSecretFields(inner, place))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecretName(name, place))
      .map(([name, inner]) => [name, withoutSecretFields(inner, name === NOTES ? 'notes' : place)]),
  )
}
