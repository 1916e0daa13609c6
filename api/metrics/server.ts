import { mayReadMetrics } from '#domain/hook/host-name.ts'
import { createServer } from 'node:http'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'

export interface MetricsServer {
  stop(): Promise<void>
}

/** On loopback it answers only to an IP address or localhost. Rejects when the port is taken. */
export async function serveMetrics(
  metrics: Pick<Metrics, 'scrape'>,
  { host, port }: { host: string; port: number },
  logger: Logger,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (!mayReadMetrics(host, request.headers.host))
      return void response.writeHead(403).end('Ask by an IP address, or as localhost\n')
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    metrics.scrape().then(
      (page) =>
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(page),
      (error: unknown) => {
        logger.error({ err: error }, 'the metrics could not be collected')
        response.writeHead(500).end()
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
