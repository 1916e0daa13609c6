import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the endpoints have received so far. */
export interface Received {
  deliveries: number
  /** Without those that their endpoint had received before, by their ids. */
  distinct: number
}

/** Endpoints of webhooks, each on a port of its own: reports their addresses; each answers GET with {@link Received}. */
async function main(): Promise<void> {
  const seen = new Set<string>()
  let deliveries = 0
  const answer: RequestListener = (request, response) => {
    if (request.method === 'GET')
      return void response.end(JSON.stringify({ deliveries, distinct: seen.size } satisfies Received))
    request.resume().once('end', () => {
      deliveries += 1
      seen.add(`${request.socket.localPort} ${String(request.headers['webhook-id'])}`)
      response.writeHead(204).end()
    })
  }
  const servers = Array.from({ length: Number(process.env['ENDPOINTS']) }, () =>
    createServer(answer).listen(0, '127.0.0.1'),
  )
  await Promise.all(servers.map((server) => once(server, 'listening')))
  process.send!(servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`))
}

for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, () => process.exit())
await main()
