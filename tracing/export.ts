import { context, diag, DiagLogLevel, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { spanIds } from './request-trace.ts'

/** Spans; further ones are dropped. */
const MAX_WAITING = 2_048
/** Milliseconds after the first waiting span. */
const SENT_EVERY = 1_000
/** Milliseconds for one batch, with retries. */
const SEND_LIMIT = 5_000
/** Milliseconds for a process's last spans. */
const STOP_LIMIT = 2_000
/** Milliseconds between two warnings. */
const LOG_EVERY = 60_000

export interface Tracing {
  /** Sends the rest within a time limit. Never rejects. */
  stop(): Promise<void>
}

export interface ExportOptions {
  service: string
  build: string
  endpoint: string
  ratio: number
  log: Logger
}

/** The id alone decides, so all processes agree. */
export function exportTraces({ service, build, endpoint, ratio, log }: ExportOptions): Tracing {
  diag.setLogger(complaintsTo(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'durable-trader',
      'service.name': service,
      'service.version': build,
      'service.instance.id': randomUUID(),
    }),
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: spanIds,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: endpoint, timeoutMillis: SEND_LIMIT }),
        maxQueueSize: MAX_WAITING,
        scheduledDelayMillis: SENT_EVERY,
        exportTimeoutMillis: SEND_LIMIT,
      }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  trace.setGlobalTracerProvider(provider)
  return {
    async stop() {
      const sent = provider.shutdown().catch((error: unknown) => diag.error(String(error)))
      await Promise.race([sent, setTimeout(STOP_LIMIT, undefined, { ref: false })])
    },
  }
}

function complaintsTo(log: Logger) {
  let nextAt = Number.NEGATIVE_INFINITY
  let unsaid = 0
  const complain = (message: string): void => {
    if (performance.now() < nextAt) return void (unsaid += 1)
    log.warn({ cause: message, unsaid }, 'traces could not be exported; trading does not depend on them')
    nextAt = performance.now() + LOG_EVERY
    unsaid = 0
  }
  const ignore = (): void => {}
  return { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore }
}
