/**
 * Control, format, direction and zero-width characters, lone surrogates, private use, fillers that show nothing, and
 * selectors that can hide data.
 */
const UNSEEN_CHARACTERS =
  /[\u{e0100}-\u{e01ef}\p{Cc}\p{Cf}\p{Cs}\p{Co}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffe\uffff]/gu
const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** What texts are measured in: UTF-16 units, unless a service counts otherwise. The sum over their characters. */
export type SizeOf = (text: string) => number

const inUnits: SizeOf = (text) => text.length

/** Bytes of UTF-8 within a JSON string. */
export const inJsonBytes: SizeOf = (text) => Buffer.byteLength(JSON.stringify(text)) - 2

/** Visible characters and blanks alone, at most `most` UTF-16 units. Without `lineBreaks` it is one line. */
export function plainText(text: string, most: number, { lineBreaks = false } = {}): string {
  const inLines = text
    .replaceAll(LINE_BREAK, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', ' ').replaceAll(UNSEEN_CHARACTERS, '').trim())
  const kept = lineBreaks ? withoutEmptyRuns(inLines).join('\n') : inLines.filter(Boolean).join(' ')
  return shortened(kept.trim(), most)
}

const withoutEmptyRuns = (lines: readonly string[]): string[] =>
  lines.filter((line, at) => line !== '' || lines[at - 1] !== '')

/** Ends with … where something is left out, and never within a character. */
export function shortened(text: string, most: number, sizeOf = inUnits): string {
  if (sizeOf(text) <= most) return text
  const room = most - sizeOf('…')
  let size = 0
  let end = 0
  for (const character of text) {
    size += sizeOf(character)
    if (size > room) break
    end += character.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}

/**
 * What chat and mail programs make a link, mention, tag or command of: schemes, names of hosts, addresses of mail and IPv4,
 * `@name`, `#tag`, `$TAG`, `/command`.
 */
const LINKING =
  /:(?=\/\/)|(?<=[^\s.])[.\u3002\uff0e\uff61](?=\p{L}{2})|\.(?=\d{1,3}\.\d{1,3}\.\d)|@(?=[\p{L}\p{N}_])|#(?=[\p{L}\p{N}_·])|\$(?=[A-Z]|1INCH)|(?<![\p{L}\p{N}_/<>])\/(?=\w)/gu

/** Puts each such sign in brackets, as in `https[:]//evil[.]example`: no program knows another spelling, and people can read it. */
export const unlinked = (text: string): string => text.replaceAll(LINKING, '[$&]')
