import type { Logger } from 'pino'
import type { Tracing } from './export.ts'

export interface TracingSettings {
  /** Address of a collector that takes OTLP over HTTP as JSON; nothing is exported without one. */
  TRACES_ENDPOINT?: string | undefined
  TRACES_RATIO: number
}

/** Without an address no code of the SDK is loaded, and every span is a no-op. */
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
