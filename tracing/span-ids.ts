import { randomBytes } from 'node:crypto'

interface PlannedIds {
  traceId: string
  spanId: string
}

/** Random, but for a span whose children had its id first. The SDK asks within one turn of the event loop. */
class SpanIds {
  #planned: PlannedIds | null = null

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

export const spanIds = new SpanIds()
