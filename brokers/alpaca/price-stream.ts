import { z } from 'zod'
import {
  BrokerCredentialsError,
  BrokerPricesUnavailable,
  type QuoteStreamHandlers,
  type RequestPass,
} from '../port.ts'
import { type PriceFeed, instant, price } from './feed.ts'
import { holdSocket, type Line } from './socket.ts'
import { readJson } from './wire.ts'

export interface PriceStreamOptions extends QuoteStreamHandlers {
  url: URL
  feed: PriceFeed
  keyId: string
  secretKey: string
  pass?: RequestPass | undefined
}

const PATIENCE_MS = 10_000

/** Limit of Alpaca's free subscription. */
const MOST_SYMBOLS = 30

/** Errors after which these keys get no prices, or no second connection. */
const REFUSAL_CODES = { authentication: [402, 404], plan: [406, 409] }
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
 * Streams Alpaca's market data until `signal` aborts. Rejects when the connection ends otherwise or a ping stays
 * unanswered. Throws {@link BrokerCredentialsError} for rejected keys, {@link BrokerPricesUnavailable} where they get
 * no prices.
 */
export function listenToPrices(options: PriceStreamOptions, signal: AbortSignal): Promise<void> {
  let followed: readonly string[] = []
  const follow = (wanted: readonly string[], line: Line) => {
    if (line.hasEnded) return
    const symbols = wanted.slice(0, MOST_SYMBOLS)
    const change = (action: string, changed: string[]) => {
      if (changed.length > 0) line.send({ action, trades: changed, quotes: changed })
    }
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

  const onMessage = (message: WireMessage, line: Line): void => {
    const { feed } = options
    if (message.T === 't') options.onPrice({ symbol: message.S, feed, last: message.p, at: message.t })
    else if (message.T === 'q')
      options.onPrice({ symbol: message.S, feed, bid: message.bp, ask: message.ap, quotedAt: message.t })
    else if (message.T === 'subscription') options.onFollowing(message.trades)
    else if (message.T === 'success' && message.msg === 'authenticated') {
      line.setReady()
      options.onReady((wanted) => follow(wanted, line))
    } else if (message.T === 'error') onError(message, line)
  }
  const onError = ({ code, msg }: { code: number; msg: string }, { end, broken }: Line) => {
    if (REFUSAL_CODES.authentication.includes(code))
      end(new BrokerCredentialsError(`Wrong key or secret (price stream: ${code} ${msg})`))
    else if (REFUSAL_CODES.plan.includes(code))
      end(new BrokerPricesUnavailable(`The broker streams no prices to these keys (${code} ${msg})`))
    else if (code !== TOO_MANY_SYMBOLS) broken(`${code} ${msg}`)
  }

  const { url, keyId, secretKey, pass } = options
  return holdSocket(
    {
      url,
      keyId,
      secretKey,
      patienceMs: PATIENCE_MS,
      name: 'price stream',
      onAnswer: (status, headers) => pass?.over(status, headers),
      refusalOf: (status) =>
        status === 404 ? new BrokerPricesUnavailable('The broker has no price stream') : null,
      onMessage: (text, line) => {
        try {
          const messages = readJson(text, 'stream message')
          for (const one of Array.isArray(messages) ? (messages as unknown[]) : []) {
            const { data: message } = wireMessage.safeParse(one)
            if (message && !line.hasEnded) onMessage(message, line)
          }
        } catch (error) {
          line.broken('a message cannot be read', error)
        }
      },
    },
    signal,
  )
}
