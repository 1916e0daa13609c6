/** Symbol map as lines: "BRK-B = BRK.B". */
export const symbolLines = (symbols: Readonly<Record<string, string>>): string =>
  Object.entries(symbols)
    .map(([from, to]) => `${from} = ${to}`)
    .join('\n')

/**
 * The map in these lines, and a fault for the first malformed one; a space, arrow or comma may replace the equals sign.
 */
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
