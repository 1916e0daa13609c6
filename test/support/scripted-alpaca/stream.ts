import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'

/** What an order event says, as the wire writes it. */
export type OrderEvent = Record<string, unknown>

/** How the order stream of one account behaves. */
export class OrderStream {
  /** false: whoever signs in is told `unauthorized`. */
  authorises = true
  /** What becomes of an event: none, the same several times, others. */
  pass: (event: OrderEvent) => OrderEvent[] = (event) => [event]
  /** Milliseconds before an event is sent; those of later events may overtake it. */
  delayOf: (event: OrderEvent) => number = () => 0
  /** How many clients have signed in. */
  readonly signedIn = { accepted: 0 }
  readonly #listening = new Set<WebSocket>()

  tell(event: OrderEvent): void {
    for (const each of this.pass(event)) {
      const text = Buffer.from(JSON.stringify({ stream: 'trade_updates', data: each }))
      const send = () => this.#listening.forEach((socket) => socket.send(text))
      const delay = this.delayOf(each)
      if (delay > 0) setTimeout(send, delay)
      else send()
    }
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#listening) socket.terminate()
  }

  add(socket: WebSocket): void {
    this.#listening.add(socket)
    socket.on('close', () => this.#listening.delete(socket))
  }
}

/** The order streams of all accounts, at /stream. */
export class OrderStreams {
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #streamOf: (keyId: string) => OrderStream | undefined

  constructor(streamOf: (keyId: string) => OrderStream | undefined) {
    this.#streamOf = streamOf
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.#serve(client))
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate()
    this.#sockets.close()
  }

  #serve(client: WebSocket): void {
    let stream: OrderStream | undefined
    const send = (message: object): void => client.send(Buffer.from(JSON.stringify(message)))
    client.on('error', () => {})
    client.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString())
      if (message.action === 'listen') {
        if (stream) stream.add(client)
        return send({ stream: 'listening', data: { streams: stream ? ['trade_updates'] : [] } })
      }
      const found = this.#streamOf(message.key)
      const isAuthorized = found?.authorises === true
      if (isAuthorized) {
        found.signedIn.accepted += 1
        stream = found
      }
      const status = isAuthorized ? 'authorized' : 'unauthorized'
      send({ stream: 'authorization', data: { action: 'authenticate', status } })
    })
  }
}
