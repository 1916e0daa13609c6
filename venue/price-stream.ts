import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { findAsset } from './assets.ts'
import { ClientSockets, readMessage, sendOrDrop } from './client-sockets.ts'
import type { VenueAccount } from './ledger/accounts.ts'
import type { Market } from './market.ts'
import { instantText } from './wire/order.ts'

const PRICES_EVERY_MS = 100

const symbols = z.array(z.string()).default([])
const clientMessage = z.union([
  z.object({ action: z.literal('auth'), key: z.string(), secret: z.string() }),
  z.object({ action: z.literal(['subscribe', 'unsubscribe']), trades: symbols, quotes: symbols }),
])

interface Listener {
  socket: WebSocket
  isKnown: boolean
  trades: Set<string>
  quotes: Set<string>
  told: Map<string, string>
  authenticationDue: NodeJS.Timeout
}

export interface PriceStreamParts {
  market: Market
  now: () => number
  authenticate: (keyId: string, secretKey: string) => VenueAccount | null
}

export class PriceStream {
  readonly #parts: PriceStreamParts
  readonly #listeners = new ClientSockets<Listener>(
    (connection) => {
      send(connection.socket, [{ T: 'success', msg: 'connected' }])
      return { ...connection, isKnown: false, trades: new Set(), quotes: new Set(), told: new Map() }
    },
    (listener, text) => this.#hear(listener, text),
  )
  readonly #clock: NodeJS.Timeout

  constructor(parts: PriceStreamParts) {
    this.#parts = parts
    this.#clock = setInterval(() => this.#publish(), PRICES_EVERY_MS)
  }

  welcome(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#listeners.welcome(request, socket, head)
  }

  close(): void {
    clearInterval(this.#clock)
    this.#listeners.close()
  }

  #hear(listener: Listener, text: string): void {
    const { socket } = listener
    const message = readMessage(clientMessage, text)
    if (!message) return send(socket, [{ T: 'error', code: 400, msg: 'invalid syntax' }])
    if (message.action === 'auth') {
      listener.isKnown = this.#parts.authenticate(message.key, message.secret) !== null
      if (listener.isKnown) clearTimeout(listener.authenticationDue)
      const failed = { T: 'error', code: 402, msg: 'auth failed' }
      return send(socket, [listener.isKnown ? { T: 'success', msg: 'authenticated' } : failed])
    }
    if (!listener.isKnown) return send(socket, [{ T: 'error', code: 401, msg: 'not authenticated' }])
    for (const kind of ['trades', 'quotes'] as const)
      for (const symbol of message[kind])
        if (message.action === 'subscribe') listener[kind].add(symbol)
        else {
          listener[kind].delete(symbol)
          listener.told.delete(symbol)
        }
    send(socket, [{ T: 'subscription', trades: [...listener.trades], quotes: [...listener.quotes] }])
  }

  #publish(): void {
    const at = this.#parts.now()
    for (const listener of this.#listeners.all) {
      const news = this.#newsFor(listener, at)
      if (news.length > 0) sendOrDrop(listener.socket, JSON.stringify(news))
    }
  }

  #newsFor({ trades, quotes, told }: Listener, at: number): object[] {
    return [...new Set([...trades, ...quotes])].filter(findAsset).flatMap((symbol) => {
      const { bid, ask, last } = this.#parts.market.quote(symbol, at)
      const shown = `${bid} ${ask} ${last}`
      if (told.get(symbol) === shown) return []
      told.set(symbol, shown)
      const t = instantText(at)
      return [
        ...(trades.has(symbol) ? [{ T: 't', S: symbol, p: Number(last), s: 100, t }] : []),
        ...(quotes.has(symbol) ? [{ T: 'q', S: symbol, bp: Number(bid), ap: Number(ask), t }] : []),
      ]
    })
  }
}

const send = (socket: WebSocket, messages: object[]): void => {
  socket.send(JSON.stringify(messages))
}
