import { createServer } from 'node:http'
import type { WorkerParts } from './heartbeat.ts'

export interface HealthServer {
  stop(): Promise<void>
}

/**
 * Serves /healthz (the process runs) and /readyz (it takes tasks, and reaches Temporal and the database). Rejects when
 * the port is taken.
 * @param parts null while the worker is starting
 */
export async function serveHealth(
  { host, port }: { host: string; port: number },
  parts: () => WorkerParts | null,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(JSON.stringify(body))
    }
    if (request.url === '/healthz') return answer(200, { status: 'ok' })
    if (request.url !== '/readyz') return answer(404, { status: 'not found' })
    const states: WorkerParts = parts() ?? { database: 'down', temporal: 'down', worker: 'down' }
    const down = Object.entries(states).flatMap(([part, state]) => (state === 'down' ? [part] : []))
    const isReady = down.length === 0
    answer(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', down, parts: states })
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
