import { context, SpanStatusCode, trace, type Context, type Span, type SpanOptions } from '@opentelemetry/api'
import { contextBelow, requestIn } from './request-trace.ts'
import { traceOf, type Trace } from './trace-id.ts'

export { SpanKind } from '@opentelemetry/api'

/** Attributes hold no secret, quantity, price or account. */
export interface Notified extends Pick<SpanOptions, 'kind' | 'attributes'> {
  name: string
}

const tracer = trace.getTracer('durable-trader')

/**
 * Runs work on one signal or manual order as a span of its trace: below the active span, else the request, else the
 * beginning.
 * @param about an id that {@link traceOf} knows
 */
export function inTrace<T>(
  about: string,
  { name, ...options }: Notified,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  const known = traceOf(about)
  if (known === null) return work(null)
  const parent = parentIn(known)
  return during(tracer.startSpan(name, options, parent), parent, work)
}

/** Runs the work, in a span if one is active. */
export function inSpan<T>(told: () => Notified, work: (span: Span | null) => Promise<T>): Promise<T> {
  const active = context.active()
  if (trace.getSpan(active)?.isRecording() !== true) return work(null)
  const { name, ...options } = told()
  return during(tracer.startSpan(name, options, active), active, work)
}

/** The trace begins with the active request. `beganAt`: of `performance.now()`. */
export function noteStored(about: string, told: Notified, beganAt: number): void {
  const known = traceOf(about)
  if (known === null) return
  requestIn(context.active())?.begins(known)
  const { name, ...options } = told
  tracer.startSpan(name, { ...options, startTime: beganAt }, parentIn(known)).end()
}

function parentIn(known: Trace): Context {
  const active = context.active()
  if (trace.getSpanContext(active)?.traceId === known.traceId) return active
  return contextBelow(known, requestIn(active)?.join(known) ?? known.rootSpanId)
}

function during<T>(span: Span, parent: Context, work: (span: Span | null) => Promise<T>): Promise<T> {
  if (!span.isRecording()) return work(null)
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work(span)
    } catch (error) {
      fail(span, errorTypeOf(error))
      throw error
    } finally {
      span.end()
    }
  })
}

/** Only the kind: messages may hold figures. */
export function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const ERROR_WORD = /^[A-Za-z][\w.-]{0,63}$/

function errorTypeOf(error: unknown): string {
  const { type, code, name } = (error ?? {}) as { type?: unknown; code?: unknown; name?: unknown }
  const known = [type, code, name].find(
    (each): each is string => typeof each === 'string' && ERROR_WORD.test(each),
  )
  return known ?? 'Error'
}
