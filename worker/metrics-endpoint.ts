import { createServer, request, type ServerResponse } from 'node:http'
import { createServer as createListener, type AddressInfo } from 'node:net'
import { randomInt } from 'node:crypto'
import { isLoopback, mayReadMetrics } from '#domain/hook/host-name.ts'

interface Address {
  host: string
  port: number
}

/** The way to the metrics of Temporal's core. */
export interface MetricsDoor {
  /** Where the core is to serve them. */
  bindAddress: string
  stop(): Promise<void>
}

/**
 * Temporal's core answers whatever name it is called by, so that a web page whose name was made to lead to this machine could read the
 * metrics. For an address of this machine alone the core serves them at an address that nobody can guess, and this asks there for those who
 * mean this machine. Any other address is the core's own. Rejects when the port is taken.
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

/** A free port of loopback: at one of its 16 million addresses on Linux, at 127.0.0.1 where a system has that one only. */
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
