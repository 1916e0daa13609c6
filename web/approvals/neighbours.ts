/**
 * Order in which signals open after a decision: those behind it, then those before it from the nearest.
 *
 * @param queue ids in their order at the decision
 */
export function neighboursOf(id: string, queue: readonly string[]): string[] {
  const at = queue.indexOf(id)
  return at < 0 ? [] : [...queue.slice(at + 1), ...queue.slice(0, at).toReversed()]
}
