/** Escapes of JSON; those of JSON's text that PostgreSQL refuses are found among them, and never a part of another one. */
const ESCAPE = /\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g
const REPLACEMENT = String.raw`\ufffd`

/**
 * The JSON of a value in a form that PostgreSQL stores, for every value of a jsonb column. NUL and half a surrogate pair, which names and
 * texts of others may have and no column takes, are replaced.
 */
export function toStorableJson(value: unknown): string {
  // oxlint-disable-next-line no-restricted-properties -- this is the way that all others take
  const json = JSON.stringify(value)
  // Undefined where there is no value, which the caller leaves out itself.
  if (json === undefined || !json.includes(String.raw`\u`)) return json
  return json.replaceAll(ESCAPE, (escape) =>
    escape.length > 2 && escape !== REPLACEMENT ? REPLACEMENT : escape,
  )
}

/** A text in a form that PostgreSQL stores, which takes every character but NUL. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '\ufffd')
