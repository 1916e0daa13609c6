import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { VenueAccount } from './ledger/accounts.ts'
import type { OrderEvent } from './exchange/order-event.ts'
import { knownToRulesAs } from './ledger/orders.ts'
import type { FaultScript } from './faults/script.ts'
import { ClientSockets, readMessage, sendOrDrop } from './client-sockets.ts'
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

/** Alpaca's stream at /stream: JSON in binary frames, without a replay after a break. */
export class TradeUpdates {
  readonly #parts: TradeUpdatesParts
  readonly #subscribers = new ClientSockets<Subscriber>(
    (connection) => {
      const subscriber = { ...connection, account: null, isListening: false, isAlive: true }
      connection.socket.on('pong', () => (subscriber.isAlive = true))
      return subscriber
    },
    (subscriber, text) => this.#hear(subscriber, text),
  )
  readonly #heartbeat: NodeJS.Timeout
  readonly #overtaken = new Map<string, { message: Buffer; due: NodeJS.Timeout }[]>()

  constructor(parts: TradeUpdatesParts) {
    this.#parts = parts
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
  }

  welcome(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#subscribers.welcome(request, socket, head)
  }

  publish(event: OrderEvent): void {
    const { accountId } = event.order
    const listeners = [...this.#subscribers.all].filter(
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
    this.#subscribers.close()
  }

  #hear(subscriber: Subscriber, text: string): void {
    const message = readMessage(clientMessage, text)
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
    // The list replaces the earlier one; unknown streams are omitted.
    const streams = wanted.filter((stream) => stream === 'trade_updates')
    subscriber.isListening = streams.length > 0
    send(subscriber.socket, { stream: 'listening', data: { streams } })
  }

  #sendToAccount(accountId: string, message: Buffer): void {
    for (const { socket, account, isListening } of this.#subscribers.all) {
      if (isListening && account?.id === accountId) sendOrDrop(socket, message)
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
    for (const subscriber of this.#subscribers.all) {
      if (!subscriber.isAlive) {
        subscriber.socket.terminate()
        continue
      }
      subscriber.isAlive = false
      subscriber.socket.ping()
    }
  }
}

const send = (socket: WebSocket, message: object): void => {
  socket.send(Buffer.from(JSON.stringify(message)))
}
