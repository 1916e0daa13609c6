import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { z } from 'zod'

// Alpaca's bounds of its clients.

/** Milliseconds before a client without authentication is dropped. */
const AUTHENTICATION_MS = 10_000
/** Unread bytes at which a client is dropped; it reconnects. */
const MAX_BACKLOG_BYTES = 1 << 20
const MAX_MESSAGE_BYTES = 16 << 10

interface Connection {
  socket: WebSocket
  authenticationDue: NodeJS.Timeout
}

export class ClientSockets<Client extends Connection> {
  readonly all = new Set<Client>()
  readonly #begin: (connection: Connection) => Client
  readonly #hear: (client: Client, text: string) => void
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })

  constructor(begin: (connection: Connection) => Client, hear: (client: Client, text: string) => void) {
    this.#begin = begin
    this.#hear = hear
  }

  welcome(request: IncomingMessage, duplex: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, duplex, head, (socket) => {
      const authenticationDue = setTimeout(() => socket.terminate(), AUTHENTICATION_MS)
      const client = this.#begin({ socket, authenticationDue })
      this.all.add(client)
      socket.on('message', (data: Buffer) => this.#hear(client, data.toString('utf8')))
      socket.on('error', () => socket.terminate())
      socket.on('close', () => {
        clearTimeout(authenticationDue)
        this.all.delete(client)
      })
    })
  }

  close(): void {
    for (const { socket, authenticationDue } of this.all) {
      clearTimeout(authenticationDue)
      socket.terminate()
    }
    this.#server.close()
  }
}

export function sendOrDrop(socket: WebSocket, message: string | Buffer): void {
  if (socket.bufferedAmount > MAX_BACKLOG_BYTES) socket.terminate()
  else socket.send(message)
}

export function readMessage<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> | null {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}
