import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { answerLast } from '#config/last-answer.ts'
import { isOwnRequest } from './http/own-requests.ts'

interface Stream {
  welcome(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export function acceptStreams(
  server: Server,
  hostNames: readonly string[],
  streams: Readonly<Record<string, Stream>>,
): void {
  const refuse = (socket: Duplex, status: string) =>
    answerLast(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = request.url?.split('?')[0] ?? ''
    if (!isOwnRequest(request.headers, hostNames)) refuse(socket, '403 Forbidden')
    else if (!Object.hasOwn(streams, path)) refuse(socket, '404 Not Found')
    else streams[path]!.welcome(request, socket, head)
  })
}
