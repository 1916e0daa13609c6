/**
 * The order in which others are opened after a decision on one of a queue: those behind it, and then those before it, from the nearest
 * on.
 *
 * @param queue ids, as they stand when the decision is made
 */
export function neighboursOf(id: string, queue: readonly string[]): string[] {
  const at = queue.indexOf(id)
  return at < 0 ? [] : [...queue.slice(at + 1), ...queue.slice(0, at).toReversed()]
}
