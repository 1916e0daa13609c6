import type Koa from 'koa'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathOfTarget } from './request-target.ts'
import { answerUnreadable } from './unreadable-requests.ts'
import { cutOffUnread, SENDING_LIMITS, type SendingLimits } from './unread-answers.ts'

/** Milliseconds that requests under way have to finish after the server was told to stop. */
const STOP_GRACE_MS = 5_000

export interface RunningServer {
  /** Such as `http://127.0.0.1:3000`. */
  address: string
  /** Takes no more connections, lets requests under way finish for up to 5 s, then cuts them off. */
  stop(): Promise<void>
}

/** Serves HTTP. Rejects when the port is taken. */
export async function listen(
  handler: ReturnType<Koa['callback']>,
  host: string,
  port: number,
  sending: SendingLimits = SENDING_LIMITS,
): Promise<RunningServer> {
  const server = createServer(
    // A sender that dribbles its request must not hold a connection for long.
    {
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      // Node looks for late ones only this often, half a minute otherwise.
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      const path = pathOfTarget(request.url ?? '')
      if (path === null) {
        // As Node itself answers what it cannot read.
        response.writeHead(400, { Connection: 'close' }).end()
        return
      }
      request.url = path
      cutOffUnread(response, sending)
      void handler(request, response)
    },
  )
  server.on('clientError', answerUnreadable)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address() as AddressInfo
  const printable = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
  return {
    address: `http://${printable}:${bound.port}`,
    stop: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS)
        server.close(() => {
          clearTimeout(cut)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
