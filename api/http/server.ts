import type Koa from 'koa'
import { createServer, type ServerResponse, STATUS_CODES } from 'node:http'
import { BlockList, type AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { answerLast } from '#config/last-answer.ts'
import type { TrustedProxies } from '#contract/values/networks.ts'
import { boundConnections } from './connections.ts'
import { errorBody } from '#contract/envelopes.ts'
import { ApiError } from '#contract/errors.ts'

const KNOWN: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are longer than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time'],
}
const UNREADABLE =
  'The request cannot be read as HTTP: a header has a line break or a control character in it, as it is copied behind a token, or the request is cut'

/** Answers a request that Node cannot read, and ends the connection; repeats nothing of it. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The answer has no reader, or another answer is under way, into which nothing may be written.
  const underWay = (socket as Duplex & { _httpMessage?: { headersSent: boolean } | null })._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || underWay?.headersSent === true) {
    socket.destroy()
    return
  }
  const [status, message] = KNOWN[error.code ?? ''] ?? [400, UNREADABLE]
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody('standard', new ApiError('VALIDATION_ERROR', { message }), requestId))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  answerLast(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}

interface SendingLimits {
  /** Of a connection that takes no byte; up to twice as long, by the interval of the check. */
  takesNothing: number
  takesAll: number
}

interface ReceivingLimits {
  head: number
  whole: number
  /** Node looks for late ones only this often, half a minute otherwise. */
  checkedEvery: number
}

const RECEIVING_LIMITS: ReceivingLimits = { head: 5_000, whole: 10_000, checkedEvery: 1_000 }

const SENDING_LIMITS: SendingLimits = { takesNothing: 15_000, takesAll: 300_000 }

/** Cuts off clients that do not read: the answer would stay in memory. Event streams end themselves. */
function cutOffUnread(response: ServerResponse, { takesNothing, takesAll }: SendingLimits): void {
  const cutOff = (): void => {
    // A connection that is only closed keeps what was not sent.
    if (!isEventStream(response)) response.socket?.resetAndDestroy()
  }
  // Node's own timer begins anew with each byte that is taken.
  response.setTimeout(takesNothing, () => {
    if (response.writableLength > 0) cutOff()
  })
  const limit = setTimeout(() => {
    if (response.headersSent) cutOff()
  }, takesAll).unref()
  response.once('close', () => clearTimeout(limit))
}

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('Content-Type')).startsWith('text/event-stream')

const ABSOLUTE = /^https?:\/\/[^/?#\\]+(?<path>.*)$/is

/** Also of a whole address (RFC 9112, section 3.2.2), whose host decides nothing. Null for no target. */
function pathOfTarget(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target
  const path = ABSOLUTE.exec(target)?.groups?.['path']
  if (path === undefined || !URL.canParse(target)) return null
  return path.startsWith('/') ? path : `/${path}`
}

/** The maximum of Linux: one burst would fill Node's 511 and delay a stop behind it by a second. */
const WAITING_CONNECTIONS = 4_096
const STOP_GRACE_MS = 5_000

export interface RunningServer {
  address: string
  connections(): Promise<number>
  stop(): Promise<void>
}

export async function listen(
  handler: ReturnType<Koa['callback']>,
  host: string,
  port: number,
  {
    sending = SENDING_LIMITS,
    receiving = RECEIVING_LIMITS,
    proxies = new BlockList(),
  }: { sending?: SendingLimits; receiving?: ReceivingLimits; proxies?: TrustedProxies } = {},
): Promise<RunningServer> {
  const server = createServer(
    // A sender that dribbles its request must not hold a connection for long.
    {
      headersTimeout: receiving.head,
      requestTimeout: receiving.whole,
      connectionsCheckingInterval: receiving.checkedEvery,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      const path = pathOfTarget(request.url ?? '')
      if (path === null) {
        response.writeHead(400, { Connection: 'close' }).end()
        return
      }
      request.url = path
      cutOffUnread(response, sending)
      void handler(request, response)
    },
  )
  server.on('clientError', answerUnreadable)
  boundConnections(server, proxies)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: WAITING_CONNECTIONS }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address() as AddressInfo
  const printable = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
  return {
    address: `http://${printable}:${bound.port}`,
    connections: () => promisify(server.getConnections.bind(server))(),
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
