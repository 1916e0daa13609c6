import { randomBytes } from 'node:crypto'
import {
  context,
  createContextKey,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api'
import type { Trace } from './trace-id.ts'

interface PlannedIds {
  traceId: string
  spanId: string
}

/** Random ids, unless children already have the span's id. The SDK asks synchronously. */
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

const REQUEST = createContextKey('durable-trader request')
const tracer = trace.getTracer('durable-trader')

/** A request's spans are written after its answer; before, children know only their ids. */
export class RequestTrace {
  readonly #spans = new Map<string, { of: Trace; spanId: string }>()
  #hasEnded = false

  during<T>(work: () => Promise<T>): Promise<T> {
    return context.with(context.active().setValue(REQUEST, this), work)
  }

  /** The id of its span in the trace; undefined after the answer. */
  join(of: Trace): string | undefined {
    const known = this.#spans.get(of.traceId)
    if (known !== undefined || this.#hasEnded) return known?.spanId
    const spanId = randomBytes(8).toString('hex')
    this.#spans.set(of.traceId, { of, spanId })
    return spanId
  }

  begins(of: Trace): void {
    if (!this.#hasEnded) this.#spans.set(of.traceId, { of, spanId: of.rootSpanId })
  }

  /** Writes the span into each trace after the answer. */
  end(name: string, options: SpanOptions, tell: (span: Span) => void): void {
    this.#hasEnded = true
    for (const { of, spanId } of this.#spans.values()) {
      const parent = spanId === of.rootSpanId ? ROOT_CONTEXT : contextBelow(of, of.rootSpanId)
      const span = spanIds.starting({ traceId: of.traceId, spanId }, () =>
        tracer.startSpan(name, options, parent),
      )
      if (span.isRecording()) tell(span)
      span.end()
    }
  }
}

/** The parent is elsewhere, or not yet written. */
export const contextBelow = ({ traceId }: Trace, spanId: string): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })

export const requestIn = (active: Context): RequestTrace | undefined =>
  active.getValue(REQUEST) as RequestTrace | undefined
