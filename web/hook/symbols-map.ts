/** A symbol map as it is written, a line for each: "BRK-B = BRK.B". */
export const symbolLines = (symbols: Readonly<Record<string, string>>): string =>
  Object.entries(symbols)
    .map(([from, to]) => `${from} = ${to}`)
    .join('\n')

/** The map that lines are, and the first line that is none. Spaces, an arrow or a comma may stand for the equals sign. */
export function readSymbolLines(text: string): { symbols: Record<string, string>; fault: string | null } {
  const symbols: Record<string, string> = {}
  let fault: string | null = null
  for (const line of text.split('\n').map((each) => each.trim().toUpperCase())) {
    if (line === '') continue
    const [from, to, ...rest] = line
      .replaceAll('->', ' ')
      .split(/[=→,\s]/)
      .filter(Boolean)
    if (from !== undefined && to !== undefined && rest.length === 0) symbols[from] = to
    else fault ??= `“${line}” is not two symbols, such as BRK-B = BRK.B`
  }
  return { symbols, fault }
}
