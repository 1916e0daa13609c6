import { withoutTokens } from '../../http/access-token.ts'
import { REDACTED } from '../../http/validation/secrets.ts'
import { withoutSecrets } from '../../signals/source.ts'
import { isSecretOfSender } from '../dialects/secrets-of-senders.ts'

/**
 * The text of a message as it may be kept and shown: without what other services take as a proof, and without our own tokens. It is
 * read from this text, so that it means the same as before.
 */
export function safeText(text: string): string {
  const value = parsed(text)
  if (typeof value === 'string') return JSON.stringify(safeText(value))
  return withoutTokens(withoutNamedSecrets(value === undefined ? text : withoutSecrets(text)))
}

/** Undefined where the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const NAME = /[\w.-]+/g
/** What parts a name from its value in texts of any form, such as `apikey=…` or `"password": “…`. */
const PARTED = /["'\u201c-\u201f]?[ \t]{0,20}([:=])[ \t]{0,20}(["'\u201c-\u201f]?)/y
/** A value without quotes, and what stands within quotes of either form, on one line. */
const PLAIN = /[^\s"'\u201c-\u201f,;&}\]]+/y
const WITHIN_QUOTES = /(?:\\.|[^"'\u201c-\u201f\\\r\n])+/y

/** Each character is looked at a bounded number of times. */
function withoutNamedSecrets(text: string): string {
  let kept = ''
  let copied = 0
  for (const { 0: name, index } of text.matchAll(NAME)) {
    if (index < copied || !isSecretOfSender(name)) continue
    PARTED.lastIndex = index + name.length
    const parting = PARTED.exec(text)
    if (!parting) continue
    const [, sign, quote] = parting
    const start = PARTED.lastIndex
    const value = quote === '' ? PLAIN : WITHIN_QUOTES
    value.lastIndex = start
    if (!value.test(text)) continue
    const written = text.slice(start, value.lastIndex)
    // As a value of JSON, which the rest is read as.
    const isHarmless = quote === '' && /^(?:null|true|false)$/.test(written)
    kept +=
      text.slice(copied, start) +
      (isHarmless ? written : quote === '' && sign === ':' ? JSON.stringify(REDACTED) : REDACTED)
    copied = value.lastIndex
  }
  return kept + text.slice(copied)
}
