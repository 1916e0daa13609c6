import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Broker } from '#brokers/port.ts'
import { connectBroker } from '#brokers/registry.ts'

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
  /** The same, where that depends on what is asked. */
  answerBy(choose: (request: ReceivedRequest) => Answering): void
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
    answerBy: (choose) => {
      answering = (request, ...rest) => choose(request)(request, ...rest)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The adapter of Alpaca, connected to an address. */
export const connectAlpaca = (
  baseUrl: string,
  { secretKey = 'SECRET', requestTimeoutMs = 1_000 } = {},
): Broker =>
  connectBroker({
    brokerType: 'alpaca',
    baseUrl,
    credentials: { keyId: 'KEY', secretKey },
    requestTimeoutMs,
  })

/** Gives each test of the suite a scripted server of its own. */
export function useScriptedServer(given: (server: ScriptedServer) => void): void {
  let server: ScriptedServer
  beforeEach(async () => given((server = await startScriptedServer())))
  afterEach(() => server.close())
}

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answering =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
