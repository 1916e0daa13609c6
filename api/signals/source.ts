const REDACTED = '[redacted]'

/** Our own tokens and keys, wherever they stand. */
const TOKEN = /\b(dtk?)_[0-9A-Za-z]{8,}/g
/** A field whose name says that its text is a secret. */
const SECRET_FIELD =
  /("[^"\\]*(?:api_?-?key|token|secret|passw|passphrase|credential|authorization)[^"\\]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi

/**
 * The text of a body as it may be kept and shown: senders put credentials into bodies that need none, by mistake or
 * because another service asked for them.
 */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(SECRET_FIELD, `$1"${REDACTED}"`).replaceAll(TOKEN, `$1_${REDACTED}`)
