import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export type Answering = (request: ReceivedRequest, response: ServerResponse, socket: Socket) => void

/** A broker's HTTP side that does whatever a test tells it, misbehaviour included. */
export interface ScriptedServer {
  url: string
  /** Everything that arrived, whole, in order. */
  received: ReceivedRequest[]
  /** How requests are answered from now on. */
  answerWith(answering: Answering): void
  close(): Promise<void>
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const received: ReceivedRequest[] = []
  let answering: Answering = (_, response) => response.writeHead(500).end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const whole = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      received.push(whole)
      answering(whole, response, request.socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith: (next) => {
      answering = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answering =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
