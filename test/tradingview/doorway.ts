import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The proxy that docs/guide/senders.md advises: TradingView reaches it, it adds the token, and answers 502 while the API is away. */
export interface Doorway {
  /** Where alerts are sent. */
  readonly url: string
  close(): Promise<void>
}

/** @param origin of the API */
export async function openDoorway(origin: string, token: string): Promise<Doorway> {
  const { hostname, port } = new URL(origin)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: `${hostname}:${port}`, authorization: `Bearer ${token}` }
    const onward = request(
      { hostname, port, method: incoming.method, path: '/api/v1/signals', headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      },
    )
    onward.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
