import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { traceOf } from '#tracing/trace-id.ts'
import { eventually } from './eventually.ts'
import { findLastingPort } from './lasting-port.ts'

/** A span as a collector was told of it. */
export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  service: string
  attributes: Record<string, unknown>
  /** 2 says that it failed. */
  statusCode: number
  milliseconds: number
}

/** What a collector does with what it is sent: takes it, answers 500, or never answers. */
type Conduct = 'takes' | 'fails' | 'hangs'

/** An OTLP collector: takes spans by HTTP, as JSON. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = []
  /** All that was ever sent to it, as text. */
  received = ''
  requests = 0
  conduct: Conduct = 'takes'
  readonly #port: number
  #server: Server | null = null

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector(await findLastingPort())
    await collector.open()
    return collector
  }

  private constructor(port: number) {
    this.#port = port
  }

  /** For TRACES_ENDPOINT. */
  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}/v1/traces`
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response))
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#server = server
  }

  /** Is gone, with every connection. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (!server) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  /** The spans that were collected of a signal or a manual order. */
  of(id: string): CollectedSpan[] {
    return this.spans.filter(({ traceId }) => traceId === traceOf(id)?.traceId)
  }

  /** Waits until the trace holds spans of all these names, and returns the trace. */
  async until(id: string, names: readonly string[]): Promise<CollectedSpan[]> {
    return eventually(
      () => {
        const found = this.of(id)
        const missing = names.filter((name) => !found.some((span) => span.name === name))
        assert.deepEqual(missing, [], `collected: ${found.map(({ name }) => name).join(', ')}`)
        return found
      },
      { within: 20_000, every: 200 },
    )
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    this.requests += 1
    this.received += `${JSON.stringify(request.headers)}\n${body}\n`
    if (this.conduct === 'hangs') return
    if (this.conduct === 'takes') this.#keep(body)
    response.writeHead(this.conduct === 'takes' ? 200 : 500, { 'content-type': 'application/json' })
    response.end('{}')
  }

  #keep(body: string): void {
    const { resourceSpans } = JSON.parse(body) as WireTraces
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? '',
          name: span.name,
          service: String(valuesOf(resource.attributes)['service.name']),
          attributes: valuesOf(span.attributes),
          statusCode: span.status.code ?? 0,
          milliseconds: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        })
  }
}

interface WireAttribute {
  key: string
  value: Record<string, unknown>
}
interface WireTraces {
  resourceSpans: {
    resource: { attributes: WireAttribute[] }
    scopeSpans: {
      spans: {
        traceId: string
        spanId: string
        parentSpanId?: string
        name: string
        startTimeUnixNano: string
        endTimeUnixNano: string
        attributes: WireAttribute[]
        status: { code?: number }
      }[]
    }[]
  }[]
}

const valuesOf = (attributes: readonly WireAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
