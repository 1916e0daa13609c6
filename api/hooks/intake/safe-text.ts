import { withoutSecretsInText } from '../../http/validation/secrets.ts'
import { withoutSecrets } from '../../signals/source.ts'
import { asJson, parsed } from '../dialects/read-text.ts'

export interface SafeText {
  body: string
  mends: string[]
}

/**
 * As it may be stored and shown, without secrets. It is mended first, because what is no JSON yet hides names and values; and the
 * reader reads what is stored, so that the two mean the same.
 */
export function safeText(text: string): SafeText {
  const value = parsed(text)
  if (typeof value === 'string') return { body: JSON.stringify(safeText(value).body), mends: [] }
  if (value !== undefined) return { body: withoutSecrets(text), mends: [] }
  const { text: mended, mends } = asJson(text)
  if (parsed(mended) === undefined) return { body: withoutSecretsInText(text, 'message'), mends: [] }
  return { body: withoutSecrets(mended), mends }
}
