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
import { randomBytes } from 'node:crypto'
import { spanIds } from './span-ids.ts'
import type { Trace } from './trace-id.ts'

const REQUEST = createContextKey('durable-trader request')
const tracer = trace.getTracer('durable-trader')

/**
 * A request to the API in the traces of the signals and orders that it turns out to be about: one, several, or none. Its
 * spans are written when it has been answered; until then only their ids are known, to be those of parents.
 */
export class RequestTrace {
  /** By their trace ids, the traces and the id of the request's span in each. */
  readonly #spans = new Map<string, { of: Trace; spanId: string }>()
  #isOver = false

  /** Does the work of the request; the spans of that find their parent here. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return context.with(context.active().setValue(REQUEST, this), work)
  }

  /** The request is about what has this trace. Returns the id of its span in it; undefined once it was answered. */
  join(of: Trace): string | undefined {
    const known = this.#spans.get(of.traceId)
    if (known !== undefined || this.#isOver) return known?.spanId
    const spanId = randomBytes(8).toString('hex')
    this.#spans.set(of.traceId, { of, spanId })
    return spanId
  }

  /** The trace begins with this request. */
  begins(of: Trace): void {
    if (!this.#isOver) this.#spans.set(of.traceId, { of, spanId: of.rootSpanId })
  }

  /**
   * The request was answered: writes its span into each of its traces.
   *
   * @param tell completes each span
   */
  end(name: string, options: SpanOptions, tell: (span: Span) => void): void {
    this.#isOver = true
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

/** Where spans begin whose parent is in another process, or not written yet. */
export const contextBelow = ({ traceId }: Trace, spanId: string): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })

/** The request that is under way; undefined outside of requests. */
export const requestIn = (active: Context): RequestTrace | undefined =>
  active.getValue(REQUEST) as RequestTrace | undefined
