import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { z } from 'zod'
import { findAsset } from './assets.ts'
import type { VenueAccount } from './ledger/accounts.ts'
import type { Market } from './market.ts'
import { AUTHENTICATION_MS, MAX_BACKLOG_BYTES, MAX_MESSAGE_BYTES } from './stream-bounds.ts'
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

/** Alpaca's market data stream: trades and quotes of the named symbols, as they change. */
export class PriceStream {
  readonly #parts: PriceStreamParts
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })
  readonly #listeners = new Set<Listener>()
  readonly #clock: NodeJS.Timeout

  constructor(parts: PriceStreamParts) {
    this.#parts = parts
    this.#clock = setInterval(() => this.#publish(), PRICES_EVERY_MS)
  }

  welcome(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#listen(webSocket))
  }

  close(): void {
    clearInterval(this.#clock)
    for (const { socket, authenticationDue } of this.#listeners) {
      clearTimeout(authenticationDue)
      socket.terminate()
    }
    this.#sockets.close()
  }

  #listen(socket: WebSocket): void {
    const listener: Listener = {
      socket,
      isKnown: false,
      trades: new Set(),
      quotes: new Set(),
      told: new Map(),
      authenticationDue: setTimeout(() => socket.terminate(), AUTHENTICATION_MS),
    }
    this.#listeners.add(listener)
    send(socket, [{ T: 'success', msg: 'connected' }])
    socket.on('message', (data: Buffer) => this.#hear(listener, data.toString('utf8')))
    // An ordinary end: 'close' follows and the client comes back.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearTimeout(listener.authenticationDue)
      this.#listeners.delete(listener)
    })
  }

  #hear(listener: Listener, text: string): void {
    const { socket } = listener
    const message = readMessage(text)
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
    for (const listener of this.#listeners) {
      const news = this.#newsFor(listener, at)
      if (news.length === 0) continue
      if (listener.socket.bufferedAmount > MAX_BACKLOG_BYTES) listener.socket.terminate()
      else send(listener.socket, news)
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

function readMessage(text: string): z.infer<typeof clientMessage> | null {
  try {
    return clientMessage.parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}

const send = (socket: WebSocket, messages: object[]): void => {
  socket.send(JSON.stringify(messages))
}
