import assert from 'node:assert/strict'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { RequestTrace, spanIds } from '#tracing/request-trace.ts'
import { inSpan, inTrace, noteStored } from '#tracing/spans.ts'
import { traceOf } from '#tracing/trace-id.ts'

const A = '0b9e1c1e-6f4e-4d0f-9d3a-6a1d6f1f0a11'
const B = '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'

// First: what has once found an SDK keeps it.
describe('spans without an SDK', () => {
  it('spans without an SDK are none: the work is done all the same', async () => {
    const seen: unknown[] = []
    const result = await inTrace(A, { name: 'exit' }, (span) => {
      seen.push(span)
      return inSpan(
        () => assert.fail('nobody asks what a span would tell'),
        () => Promise.resolve(7),
      )
    })
    assert.deepEqual([result, seen], [7, [null]])
  })
})

describe('spans', () => {
  const exporter = new InMemorySpanExporter()
  before(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager())
    trace.setGlobalTracerProvider(
      new TracerProvider({
        sampler: new TraceIdRatioBasedSampler(1),
        idGenerator: spanIds,
        spanProcessors: [new SimpleSpanProcessor({ exporter })],
      }),
    )
  })
  // Other tests of this process are without an SDK.
  after(() => {
    trace.disable()
    context.disable()
  })
  beforeEach(() => exporter.reset())

  const named = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name)
  const only = (name: string) => {
    const [span, ...more] = named(name)
    assert.ok(span && more.length === 0, name)
    return span
  }
  const work = (name: string, about = A) => inTrace(about, { name }, () => Promise.resolve())

  it('spans without a request hang below the beginning of their trace', async () => {
    await work('exit')
    const span = only('exit')
    assert.equal(span.spanContext().traceId, traceOf(A)!.traceId)
    assert.equal(span.parentSpanContext?.spanId, traceOf(A)!.rootSpanId)
  })

  it('hang below the one that is under way in the same trace, and not below one of another trace', async () => {
    await inTrace(A, { name: 'outer' }, async () => {
      await work('inner')
      await work('other', B)
    })
    assert.equal(only('inner').parentSpanContext?.spanId, only('outer').spanContext().spanId)
    assert.equal(only('other').parentSpanContext?.spanId, traceOf(B)!.rootSpanId)
  })

  it('spans of what is for no user are none, and calls within it neither', async () => {
    const result = await inTrace('sync-accounts', { name: 'sync' }, () =>
      inSpan(
        () => ({ name: 'GET /v2/account' }),
        () => Promise.resolve(7),
      ),
    )
    assert.deepEqual([result, exporter.getFinishedSpans().length], [7, 0])
  })

  it('spans of a request that stores a signal begin its trace with the request', async () => {
    const request = new RequestTrace()
    await request.during(async () => {
      noteStored(A, { name: 'store signal' }, performance.now() - 5)
      await work('start')
    })
    request.end('POST /signals', {}, () => {})
    const root = only('POST /signals')
    assert.equal(root.parentSpanContext, undefined)
    assert.deepEqual(root.spanContext().spanId, traceOf(A)!.rootSpanId)
    for (const name of ['store signal', 'start'])
      assert.equal(only(name).parentSpanContext?.spanId, traceOf(A)!.rootSpanId)
  })

  it('spans of a request about several signals are in the trace of each', async () => {
    const request = new RequestTrace()
    await request.during(() => Promise.all([work('approve A'), work('approve B', B)]))
    request.end('POST /signals/process', {}, () => {})
    const requests = named('POST /signals/process')
    assert.deepEqual(requests.map((span) => span.spanContext().traceId).toSorted(), [
      traceOf(A)!.traceId,
      traceOf(B)!.traceId,
    ])
    for (const span of requests) {
      const [id, child] =
        span.spanContext().traceId === traceOf(A)!.traceId ? [A, 'approve A'] : [B, 'approve B']
      assert.equal(only(child).parentSpanContext?.spanId, span.spanContext().spanId)
      assert.equal(span.parentSpanContext?.spanId, traceOf(id)!.rootSpanId)
    }
  })

  it('spans of work that fails show the kind of the error and not its words', async () => {
    const error = Object.assign(new Error('buying power 1234.56 is too little'), {
      code: 'INSUFFICIENT_FUNDS',
    })
    await assert.rejects(
      inTrace(A, { name: 'order' }, () => Promise.reject(error)),
      error,
    )
    const { attributes, status, events } = only('order')
    assert.deepEqual([attributes['error.type'], status, events], ['INSUFFICIENT_FUNDS', { code: 2 }, []])
  })
})
