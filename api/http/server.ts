import { type Server, createServer, type ServerResponse, STATUS_CODES } from 'node:http'
import { type Socket, BlockList, isIPv6, type AddressInfo } from 'node:net'
import { addressBucket, isTrusted, plainAddress } from '../access/client-address.ts'
import type { TrustedProxies } from '#contract/values/networks.ts'
import { namesThisMachine } from '#domain/hook/host-name.ts'
import type { ApiContext } from './context.ts'
import type Koa from 'koa'
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { answerLast } from '#config/last-answer.ts'
import { errorBody } from '#contract/envelopes.ts'
import { ApiError } from '#contract/errors.ts'

export const MOST_SILENT = 200
/** Well below the descriptors of a process. */
const MOST_CONNECTIONS = 10_000

const proven = new WeakSet<Socket>()

export const noteProven = (socket: Socket): void => void proven.add(socket)

/** Milliseconds: a burst connects at once, but is read one after another. */
const SILENT_AFTER = 1_000

/** Closes the longest-silent connections beyond the limit, except busy ones and our proxies'. */
function boundConnections(server: Server, proxies: TrustedProxies): void {
  server.maxConnections = MOST_CONNECTIONS
  const addresses = new WeakMap<Socket, string>()
  const silent = new Map<string, Map<Socket, number>>()
  const speaks = (socket: Socket, address: string): void => {
    const same = silent.get(address)
    if (same?.delete(socket) && same.size === 0) silent.delete(address)
  }
  const isSilent = (socket: Socket, address: string): void => {
    if (socket.destroyed || proven.has(socket)) return
    const same = silent.get(address) ?? new Map<Socket, number>()
    silent.set(address, same.set(socket, performance.now()))
    if (same.size === MOST_SILENT + 1) setTimeout(closeLongest, SILENT_AFTER, address).unref()
  }
  const closeLongest = (address: string): void => {
    const same = silent.get(address) ?? new Map<Socket, number>()
    const before = performance.now() - SILENT_AFTER
    for (const [socket, since] of same) {
      if (same.size <= MOST_SILENT) return
      if (since > before) break
      speaks(socket, address)
      socket.destroy()
    }
    if (same.size > MOST_SILENT) setTimeout(closeLongest, SILENT_AFTER, address).unref()
  }
  server.on('connection', (socket) => {
    const peer = plainAddress(socket.remoteAddress ?? '')
    if (isTrusted(peer, proxies)) return
    const address = addressBucket(peer)
    addresses.set(socket, address)
    isSilent(socket, address)
    socket.once('close', () => speaks(socket, address))
  })
  server.on('request', ({ socket }, response) => {
    const address = addresses.get(socket)
    if (address === undefined) return
    speaks(socket, address)
    response.once('close', () => isSilent(socket, address))
  })
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const TRACE_OF_A_PROXY = /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-.*)$/

/** Whether people use only this machine. */
export const isOnThisMachine = (publicUrl: string): boolean => namesThisMachine(new URL(publicUrl).host)

export const hasPassedProxy = (ctx: ApiContext): boolean =>
  Object.keys(ctx.headers).some((name) => TRACE_OF_A_PROXY.test(name))

/** Checks the host too: a foreign name may resolve here. A proxy without headers may go undetected. */
export function isFromThisMachine(ctx: ApiContext): boolean {
  const peer = (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return (
    peer !== '' &&
    loopback.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4') &&
    !hasPassedProxy(ctx) &&
    namesThisMachine(ctx.host)
  )
}

const KNOWN: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are longer than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time'],
}
const UNREADABLE =
  'The request cannot be read as HTTP: a header has a line break or a control character in it, as it is copied behind a token, or the request is cut'

/** Repeats none of the unreadable request. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // No reader is left, or another answer is under way.
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
  /** Milliseconds without an accepted byte; up to double. */
  takesNothing: number
  takesAll: number
}

interface ReceivingLimits {
  head: number
  whole: number
  /** Interval of Node's check, by default half a minute. */
  checkedEvery: number
}

const RECEIVING_LIMITS: ReceivingLimits = { head: 5_000, whole: 10_000, checkedEvery: 1_000 }

const SENDING_LIMITS: SendingLimits = { takesNothing: 15_000, takesAll: 300_000 }

/** Answers of clients that do not read would stay in memory. Event streams end themselves. */
function cutOffUnread(response: ServerResponse, { takesNothing, takesAll }: SendingLimits): void {
  const cutOff = (): void => {
    // A closed connection would keep its unsent data.
    if (!isEventStream(response)) response.socket?.resetAndDestroy()
  }
  // Node's timer restarts with each byte.
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

/** Accepts absolute addresses (RFC 9112, section 3.2.2). Null for no valid target. */
function pathOfTarget(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target
  const path = ABSOLUTE.exec(target)?.groups?.['path']
  if (path === undefined || !URL.canParse(target)) return null
  return path.startsWith('/') ? path : `/${path}`
}

/** Maximum of Linux: a burst would fill Node's 511 and delay a stop by a second. */
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
    // Slow senders must not hold connections.
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
