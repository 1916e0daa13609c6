/** 22, 23502, 23514: invalid for type or table; 54: a limit. Row conflicts may vanish. */
const VALUE_FAULTS = /^(?:22...|23502|23514|54...)$/

export function isFaultOfValue(error: unknown): boolean {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof RangeError) return true
    if ('code' in inner && typeof inner.code === 'string' && VALUE_FAULTS.test(inner.code)) return true
  }
  return false
}
