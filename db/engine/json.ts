/** Matches every escape, so that those that PostgreSQL refuses are never found within another one. */
const ESCAPE = /\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g
const REPLACEMENT = String.raw`\ufffd`

/** For jsonb columns, which refuse NUL and half a surrogate pair: both are replaced. */
export function toStorableJson(value: unknown): string {
  // oxlint-disable-next-line no-restricted-properties -- this is the way that all others take
  const json = JSON.stringify(value)
  // Undefined has no JSON; the caller leaves it out.
  if (json === undefined || !json.includes(String.raw`\u`)) return json
  return json.replaceAll(ESCAPE, (escape) =>
    escape.length > 2 && escape !== REPLACEMENT ? REPLACEMENT : escape,
  )
}

/** PostgreSQL refuses NUL alone. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '\ufffd')
