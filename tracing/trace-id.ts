/** Where the spans of one signal, or of one manual order, belong. */
export interface Trace {
  /** 32 hexadecimal digits, as OpenTelemetry has them. */
  traceId: string
  /** Of the span with which the trace begins; 16 hexadecimal digits. */
  rootSpanId: string
}

/** A UUID, alone or as the ids of workflows and of orders at brokers hold it. */
const NAMED = /^(?:signal-|order-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-[exh][1-9]\d*)?$/
const ONLY_ZEROS = /^0+$/

/**
 * The trace of a signal or of a manual order: its id without the hyphens, so that every process knows it at any time.
 *
 * @param name the id, the id of its workflow, or a client order id of it
 * @returns null for every other name, and for the id that is all zeros, which is no trace id
 */
export function traceOf(name: string): Trace | null {
  const traceId = NAMED.exec(name)?.[1]!.replaceAll('-', '')
  if (traceId === undefined || ONLY_ZEROS.test(traceId)) return null
  const half = traceId.slice(16)
  return { traceId, rootSpanId: ONLY_ZEROS.test(half) ? traceId.slice(0, 16) : half }
}
