import type { Logger } from 'pino'
import type { Tracing } from './export.ts'

export interface TracingSettings {
  /** A collector of OTLP over HTTP as JSON; optional. */
  TRACES_ENDPOINT?: string | undefined
  TRACES_RATIO: number
}

/** Without an endpoint every span is a no-op, without the SDK. */
export async function startTracing(
  service: string,
  build: string,
  { TRACES_ENDPOINT: endpoint, TRACES_RATIO: ratio }: TracingSettings,
  log: Logger,
): Promise<Tracing> {
  if (endpoint === undefined) return { stop: () => Promise.resolve() }
  const { exportTraces } = await import('./export.ts')
  return exportTraces({ service, build, endpoint, ratio, log })
}
