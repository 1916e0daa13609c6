export interface Trace {
  traceId: string
  rootSpanId: string
}

/** A UUID, alone or in ids of workflows and orders. */
const NAMED = /^(?:signal-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-[ex][1-9]\d*)?$/
const ONLY_ZEROS = /^0+$/

/** The id without hyphens, known to every process. Null for other names and zeros. */
export function traceOf(name: string): Trace | null {
  const traceId = NAMED.exec(name)?.[1]!.replaceAll('-', '')
  if (traceId === undefined || ONLY_ZEROS.test(traceId)) return null
  const half = traceId.slice(16)
  return { traceId, rootSpanId: ONLY_ZEROS.test(half) ? traceId.slice(0, 16) : half }
}
