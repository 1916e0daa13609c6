import { createServer, request, type ServerResponse } from 'node:http'
import { createServer as createListener, type AddressInfo } from 'node:net'
import { randomInt } from 'node:crypto'
import { isLoopback, mayReadMetrics } from '#domain/hook/host-name.ts'

interface Address {
  host: string
  port: number
}

export interface MetricsDoor {
  bindAddress: string
  stop(): Promise<void>
}

/**
 * Protects the metrics of Temporal's core: it answers to any host name, so a web page could read them. On loopback the
 * core therefore serves an address that cannot be guessed, and this server asks there. Rejects when the port is taken.
 */
export async function openMetricsDoor({ host, port }: Address): Promise<MetricsDoor> {
  if (!isLoopback(host))
    return { bindAddress: `${host.includes(':') ? `[${host}]` : host}:${port}`, stop: async () => {} }
  const core = await hiddenAddress()
  const server = createServer((incoming, response) => {
    if (!mayReadMetrics(host, incoming.headers.host))
      return void response.writeHead(403).end('Ask by an IP address, or as localhost\n')
    if (incoming.method !== 'GET' || incoming.url !== '/metrics') return void response.writeHead(404).end()
    pass(core, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    bindAddress: `${core.host}:${core.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function pass(core: Address, response: ServerResponse): void {
  const asked = request({ ...core, path: '/metrics', agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] })
    answer.pipe(response)
  })
  asked.on('error', () => {
    if (!response.headersSent) response.writeHead(502)
    response.end()
  })
  response.on('close', () => asked.destroy())
  asked.end()
}

/** Linux has 16 million addresses of loopback. */
async function hiddenAddress(): Promise<Address> {
  const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
  return (await freePort(host)) ?? (await freePort('127.0.0.1'))!
}

/** Null where the machine has no such address. */
const freePort = (host: string): Promise<Address | null> =>
  new Promise((resolve) => {
    const listener = createListener()
    listener.once('error', () => resolve(null))
    listener.listen(0, host, () => {
      const { port } = listener.address() as AddressInfo
      listener.close(() => resolve({ host, port }))
    })
  })
