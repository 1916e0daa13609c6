import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { z } from 'zod'
import type { VenueAccount } from './ledger/accounts.ts'
import type { OrderEvent } from './exchange/order-event.ts'
import { knownToRulesAs } from './ledger/orders.ts'
import type { FaultScript } from './faults/script.ts'
import { AUTHENTICATION_MS, MAX_BACKLOG_BYTES, MAX_MESSAGE_BYTES } from './stream-bounds.ts'
import { presentTradeUpdate } from './wire/trade-update.ts'

const HEARTBEAT_MS = 10_000
const REORDER_MS = 200

const clientMessage = z.union([
  z.object({ action: z.literal(['auth', 'authenticate']), key: z.string(), secret: z.string() }),
  z
    .object({
      action: z.literal('authenticate'),
      data: z.object({ key_id: z.string(), secret_key: z.string() }),
    })
    .transform(({ action, data }) => ({ action, key: data.key_id, secret: data.secret_key })),
  z.object({ action: z.literal('listen'), data: z.object({ streams: z.array(z.string()) }) }),
])

interface Subscriber {
  socket: WebSocket
  account: VenueAccount | null
  isListening: boolean
  isAlive: boolean
  authenticationDue: NodeJS.Timeout
}

export interface TradeUpdatesParts {
  faults: FaultScript
  authenticate: (keyId: string, secretKey: string) => VenueAccount | null
}

/** Alpaca's order stream at /stream: JSON in binary frames, nothing replayed after a break. */
export class TradeUpdates {
  readonly #parts: TradeUpdatesParts
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })
  readonly #subscribers = new Set<Subscriber>()
  readonly #heartbeat: NodeJS.Timeout
  readonly #overtaken = new Map<string, { message: Buffer; due: NodeJS.Timeout }[]>()

  constructor(parts: TradeUpdatesParts) {
    this.#parts = parts
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
  }

  welcome(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#listenTo(webSocket))
  }

  publish(event: OrderEvent): void {
    const { accountId } = event.order
    const listeners = [...this.#subscribers].filter(
      ({ account, isListening }) => isListening && account?.id === accountId,
    )
    if (listeners.length === 0) return
    const message = Buffer.from(JSON.stringify(presentTradeUpdate(event)))
    const fault = this.#parts.faults.isEmpty
      ? null
      : this.#parts.faults.drawStream({
          account: listeners[0]!.account!.keyId,
          symbol: event.order.symbol,
          clientOrderId: knownToRulesAs(event.order),
        })
    if (fault?.mode === 'mute') return
    if (fault?.mode === 'reorder') {
      this.#holdBack(accountId, message)
      return
    }
    this.#sendToAccount(accountId, message)
    if (fault?.mode === 'duplicate') this.#sendToAccount(accountId, message)
    this.#releaseOvertaken(accountId)
  }

  close(): void {
    clearInterval(this.#heartbeat)
    for (const held of this.#overtaken.values()) for (const { due } of held) clearTimeout(due)
    for (const subscriber of this.#subscribers) {
      clearTimeout(subscriber.authenticationDue)
      subscriber.socket.terminate()
    }
    this.#sockets.close()
  }

  #listenTo(socket: WebSocket): void {
    const subscriber: Subscriber = {
      socket,
      account: null,
      isListening: false,
      isAlive: true,
      authenticationDue: setTimeout(() => socket.terminate(), AUTHENTICATION_MS),
    }
    this.#subscribers.add(subscriber)
    socket.on('pong', () => (subscriber.isAlive = true))
    socket.on('message', (data: Buffer) => this.#hear(subscriber, data.toString('utf8')))
    // An ordinary end: 'close' follows and the client comes back.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearTimeout(subscriber.authenticationDue)
      this.#subscribers.delete(subscriber)
    })
  }

  #hear(subscriber: Subscriber, text: string): void {
    const message = readMessage(text)
    if (!message) {
      send(subscriber.socket, { stream: 'error', data: { code: 400, error: 'invalid syntax' } })
    } else if (message.action === 'listen') {
      this.#listen(subscriber, message.data.streams)
    } else {
      subscriber.account = this.#parts.authenticate(message.key, message.secret)
      if (subscriber.account) clearTimeout(subscriber.authenticationDue)
      const status = subscriber.account ? 'authorized' : 'unauthorized'
      send(subscriber.socket, { stream: 'authorization', data: { action: 'authenticate', status } })
    }
  }

  #listen(subscriber: Subscriber, wanted: readonly string[]): void {
    if (!subscriber.account) {
      send(subscriber.socket, { stream: 'authorization', data: { action: 'listen', status: 'unauthorized' } })
      return
    }
    // It replaces the list before; unknown streams are left out of the answer.
    const streams = wanted.filter((stream) => stream === 'trade_updates')
    subscriber.isListening = streams.length > 0
    send(subscriber.socket, { stream: 'listening', data: { streams } })
  }

  #sendToAccount(accountId: string, message: Buffer): void {
    for (const { socket, account, isListening } of this.#subscribers) {
      if (!isListening || account?.id !== accountId) continue
      if (socket.bufferedAmount > MAX_BACKLOG_BYTES) socket.terminate()
      else socket.send(message)
    }
  }

  #holdBack(accountId: string, message: Buffer): void {
    const held = this.#overtaken.get(accountId) ?? []
    held.push({ message, due: setTimeout(() => this.#releaseOvertaken(accountId), REORDER_MS) })
    this.#overtaken.set(accountId, held)
  }

  #releaseOvertaken(accountId: string): void {
    const held = this.#overtaken.get(accountId) ?? []
    this.#overtaken.delete(accountId)
    for (const { message, due } of held) {
      clearTimeout(due)
      this.#sendToAccount(accountId, message)
    }
  }

  #beat(): void {
    for (const subscriber of this.#subscribers) {
      if (!subscriber.isAlive) {
        subscriber.socket.terminate()
        continue
      }
      subscriber.isAlive = false
      subscriber.socket.ping()
    }
  }
}

function readMessage(text: string): z.infer<typeof clientMessage> | null {
  try {
    return clientMessage.parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}

const send = (socket: WebSocket, message: object): void => {
  socket.send(Buffer.from(JSON.stringify(message)))
}
