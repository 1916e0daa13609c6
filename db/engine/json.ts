/** Every escape, so that no refused one is found within another. */
const ESCAPE = /\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g
const REPLACEMENT = String.raw`\ufffd`

/** JSON for jsonb columns, with NUL and lone surrogates replaced. */
export function toStorableJson(value: unknown): string {
  // oxlint-disable-next-line no-restricted-properties -- this is the way that all others take
  const json = JSON.stringify(value)
  if (json === undefined || !json.includes(String.raw`\u`)) return json
  return json.replaceAll(ESCAPE, (escape) =>
    escape.length > 2 && escape !== REPLACEMENT ? REPLACEMENT : escape,
  )
}

/** Text without NUL, which PostgreSQL refuses. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '\ufffd')
