/**
 * PostgreSQL's codes for a value that no repetition makes acceptable: 22 a value that its type does not take, 23502 and 23514 one that the
 * table does not take, 54 one beyond a limit of the server. Conflicts with other rows are not among them, because those rows may change.
 */
const VALUE_FAULTS = /^(?:22...|23502|23514|54...)$/

/** Whether a statement fails with these values however often it is repeated. */
export function isFaultOfValue(error: unknown): boolean {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    // Thrown for a number that cannot be written into a statement.
    if (inner instanceof RangeError) return true
    if ('code' in inner && typeof inner.code === 'string' && VALUE_FAULTS.test(inner.code)) return true
  }
  return false
}
