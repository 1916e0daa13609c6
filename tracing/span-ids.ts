import { randomBytes } from 'node:crypto'

/** Ids for a span before it is started. */
interface PlannedIds {
  traceId: string
  spanId: string
}

/**
 * Gives ids to spans: random ones, but for a span whose id was given away before it was started, such as that of a request,
 * which is known by its children first. The SDK asks for ids while it starts a span, which takes no turn of the event loop.
 */
class SpanIds {
  #planned: PlannedIds | null = null

  /** Starts one span with these ids. */
  starting<T>(planned: PlannedIds, start: () => T): T {
    this.#planned = planned
    try {
      return start()
    } finally {
      this.#planned = null
    }
  }

  generateTraceId(): string {
    return this.#planned?.traceId ?? randomBytes(16).toString('hex')
  }

  generateSpanId(): string {
    return this.#planned?.spanId ?? randomBytes(8).toString('hex')
  }
}

/** The ids of this process. */
export const spanIds = new SpanIds()
