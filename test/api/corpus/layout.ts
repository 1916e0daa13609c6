const WIDTH = 120

/** JSON for a reader: what fits on a line stays on it. Order of keys and spelling of numbers are those of the text. */
export function laidOut(value: unknown, indent = ''): string {
  const inline = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + inline.length <= WIDTH) return inline
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const lines = Array.isArray(value)
    ? value.map((one) => `${inner}${laidOut(one, inner)}`)
    : Object.entries(value).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${laidOut(one, inner)}`)
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

const MOST_SHOWN = 20

/** The first lines at which two texts differ, each as it is and as it should be, with its number. */
export function differences(text: string, wanted: string): string[] {
  if (text === wanted) return []
  const [lines, wantedLines] = [text.split('\n'), wanted.split('\n')]
  return Array.from({ length: Math.max(lines.length, wantedLines.length) }, (_, index) => index)
    .filter((index) => lines[index] !== wantedLines[index])
    .slice(0, MOST_SHOWN)
    .map((index) => `${index + 1}: ${lines[index] ?? 'no line'}\n    was ${wantedLines[index] ?? 'no line'}`)
}
