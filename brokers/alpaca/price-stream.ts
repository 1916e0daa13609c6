import { WebSocket } from 'ws'
import { z } from 'zod'
import { busyUntil } from '../asked-wait.ts'
import {
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerPricesUnavailable,
  type QuoteStreamHandlers,
  type RequestPass,
} from '../port.ts'
import { instant, price } from './market-data.ts'
import { MAX_STREAM_MESSAGE_BYTES } from './stream.ts'
import { readJson } from './wire.ts'

export interface PriceStreamOptions extends QuoteStreamHandlers {
  /** Address of the feed, ws or wss. */
  url: URL
  keyId: string
  secretKey: string
  /** Of the handshake. */
  pass?: RequestPass | undefined
}

/** How long the other side may take to authorise, and to answer a ping, in milliseconds. */
const PATIENCE_MS = 10_000

/** Symbols that Alpaca's free plan tells of by one connection. */
const MOST_SYMBOLS = 30

/** Codes of errors after which nothing is told to these keys, or by no second connection. */
const REFUSAL_CODES = { authentication: [402, 404], plan: [406, 409] }
/** More symbols than the plan allows: those before are told further. */
const TOO_MANY_SYMBOLS = 405

const wireMessage = z.union([
  z.object({ T: z.literal('t'), S: z.string(), p: price, t: instant }),
  z.object({ T: z.literal('q'), S: z.string(), bp: price, ap: price, t: instant }),
  z.object({ T: z.literal('success'), msg: z.string() }),
  z.object({ T: z.literal('subscription'), trades: z.array(z.string()) }),
  z.object({ T: z.literal('error'), code: z.number(), msg: z.string() }),
])
type WireMessage = z.infer<typeof wireMessage>

/**
 * Listens to Alpaca's market data stream until `signal` aborts, and resolves then. Rejects when the connection ends in any other
 * way and when a ping stays unanswered. Messages of other kinds, or that cannot be read, are passed over: a price is told again
 * soon. Throws {@link BrokerCredentialsError} when the keys are not accepted, and {@link BrokerPricesUnavailable} when they get no
 * prices here.
 */
export function listenToPrices(options: PriceStreamOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(options.url, {
      handshakeTimeout: PATIENCE_MS,
      maxPayload: MAX_STREAM_MESSAGE_BYTES,
      perMessageDeflate: false,
    })
    const send = (message: object) => socket.send(JSON.stringify(message))
    const broken = (what: string, cause?: unknown) =>
      end(new BrokerOutcomeUnknown(`The broker's price stream broke: ${what}`, { cause }))

    let isReady = false
    let isAnswering = true
    let followed: readonly string[] = []
    const heartbeat = setInterval(() => {
      if (!isReady) return broken(`not authorised within ${PATIENCE_MS} ms`)
      if (!isAnswering) return broken(`a ping was not answered within ${PATIENCE_MS} ms`)
      isAnswering = false
      socket.ping()
    }, PATIENCE_MS)
    const onAbort = () => end(null)
    signal.addEventListener('abort', onAbort)

    let hasEnded = false
    const end = (error: Error | null) => {
      hasEnded = true
      clearInterval(heartbeat)
      signal.removeEventListener('abort', onAbort)
      socket.terminate()
      if (error) reject(error)
      else resolve()
    }

    const follow = (wanted: readonly string[]) => {
      if (hasEnded) return
      const symbols = wanted.slice(0, MOST_SYMBOLS)
      const change = (action: string, changed: string[]) => {
        if (changed.length > 0) send({ action, trades: changed, quotes: changed })
      }
      // Room is made first.
      change(
        'unsubscribe',
        followed.filter((symbol) => !symbols.includes(symbol)),
      )
      change(
        'subscribe',
        symbols.filter((symbol) => !followed.includes(symbol)),
      )
      followed = symbols
    }

    const onMessage = (message: WireMessage): void => {
      if (message.T === 't') options.onPrice({ symbol: message.S, last: message.p, at: message.t })
      else if (message.T === 'q')
        options.onPrice({ symbol: message.S, bid: message.bp, ask: message.ap, quotedAt: message.t })
      else if (message.T === 'subscription') options.onFollowing(message.trades)
      else if (message.T === 'success' && message.msg === 'authenticated') {
        isReady = true
        options.onReady(follow)
      } else if (message.T === 'error') onError(message)
    }
    const onError = ({ code, msg }: { code: number; msg: string }) => {
      if (REFUSAL_CODES.authentication.includes(code))
        end(new BrokerCredentialsError(`The broker does not accept the keys (price stream: ${code} ${msg})`))
      else if (REFUSAL_CODES.plan.includes(code))
        end(new BrokerPricesUnavailable(`The broker streams no prices to these keys (${code} ${msg})`))
      else if (code !== TOO_MANY_SYMBOLS) broken(`${code} ${msg}`)
    }

    socket.on('open', () => send({ action: 'auth', key: options.keyId, secret: options.secretKey }))
    socket.on('pong', () => {
      isAnswering = true
    })
    socket.on('message', (data: Buffer) => {
      try {
        const messages = readJson(data.toString(), 'stream message')
        for (const one of Array.isArray(messages) ? (messages as unknown[]) : []) {
          const { data: message } = wireMessage.safeParse(one)
          if (message && !hasEnded) onMessage(message)
        }
      } catch (error) {
        broken('a message cannot be read', error)
      }
    })
    socket.on('upgrade', ({ headers }) => options.pass?.over(101, headers))
    socket.on('unexpected-response', (_, { statusCode, headers }) => {
      options.pass?.over(statusCode!, headers)
      if (statusCode === 429) end(busyUntil(headers))
      else if (statusCode === 404) end(new BrokerPricesUnavailable('The broker has no price stream'))
      else broken(`the handshake was answered ${statusCode}`)
    })
    // terminate() while connecting emits an error too; by then the promise is settled.
    socket.on('error', (error) => broken(error.message, error))
    socket.on('close', (code) => broken(`closed with code ${code}`))
  })
}
