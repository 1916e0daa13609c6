import { withoutSecretsInText } from '../../http/validation/secrets.ts'
import { withoutSecrets } from '../../signals/source.ts'
import { asJson, parsed } from '../dialects/read-text.ts'

/** The text of a message as it is kept, and what was mended in it. */
export interface SafeText {
  body: string
  mends: string[]
}

/**
 * The text of a message as it may be kept and shown: without what other services take as a proof, and without our own tokens. It is
 * mended first, because what is no JSON yet hides names and values; and it is read from what is kept, so that the two mean the same.
 */
export function safeText(text: string): SafeText {
  const value = parsed(text)
  if (typeof value === 'string') return { body: JSON.stringify(safeText(value).body), mends: [] }
  if (value !== undefined) return { body: withoutSecrets(text), mends: [] }
  const { text: mended, mends } = asJson(text)
  if (parsed(mended) === undefined) return { body: withoutSecretsInText(text, 'message'), mends: [] }
  return { body: withoutSecrets(mended), mends }
}
