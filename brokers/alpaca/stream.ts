import { WebSocket } from 'ws'
import type { IncomingHttpHeaders } from 'node:http'
import { busyUntil } from '../asked-wait.ts'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '../port.ts'
import { readJson } from './wire.ts'

export interface TradeUpdatesOptions {
  /** Address of the stream, ws or wss. */
  url: URL
  keyId: string
  secretKey: string
  /** How long the other side may take to authorise, and to answer a ping, in milliseconds. */
  patienceMs: number
  /** The handshake was answered. */
  onAnswer?(status: number, headers: IncomingHttpHeaders): void
  /** Authenticated and subscribed. */
  onReady(): void
  /** An event, of whatever shape. What it throws, or rejects with, breaks the stream. */
  onUpdate(update: unknown): Promise<void>
}

export const MAX_STREAM_MESSAGE_BYTES = 1024 * 1024

/**
 * Listens to Alpaca's trade_updates until `signal` aborts, and resolves then. Rejects when the connection
 * ends in any other way, when a ping stays unanswered, and when a message is not JSON: events are not
 * replayed, so the caller reconnects and compares by asking. Throws {@link BrokerCredentialsError} when the
 * keys are not accepted.
 */
export function listenToTradeUpdates(options: TradeUpdatesOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(options.url, {
      handshakeTimeout: options.patienceMs,
      maxPayload: MAX_STREAM_MESSAGE_BYTES,
      perMessageDeflate: false,
    })
    const send = (message: object) => socket.send(JSON.stringify(message))
    const broken = (what: string, cause?: unknown) =>
      end(new BrokerOutcomeUnknown(`The broker's order stream broke: ${what}`, { cause }))

    let isReady = false
    let isAnswering = true
    const heartbeat = setInterval(() => {
      if (!isReady) return broken(`not authorised within ${options.patienceMs} ms`)
      if (!isAnswering) return broken(`a ping was not answered within ${options.patienceMs} ms`)
      isAnswering = false
      socket.ping()
    }, options.patienceMs)
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

    const onMessage = async (text: string) => {
      const message = readJson(text, 'stream message') as Partial<StreamMessage> | null
      if (message?.stream === 'trade_updates') {
        await options.onUpdate(message.data)
      } else if (message?.stream === 'authorization') {
        if (message.data?.status !== 'authorized') {
          throw new BrokerCredentialsError('The broker does not accept the keys (order stream)')
        }
        send({ action: 'listen', data: { streams: ['trade_updates'] } })
      } else if (message?.stream === 'listening') {
        if (!message.data?.streams?.includes('trade_updates')) {
          throw new BrokerOutcomeUnknown('The broker does not offer trade_updates on its stream')
        }
        isReady = true
        options.onReady()
      } else if (message?.action === 'error') {
        throw new BrokerOutcomeUnknown('The broker ended its order stream')
      }
    }

    socket.on('open', () => send({ action: 'auth', key: options.keyId, secret: options.secretKey }))
    socket.on('pong', () => {
      isAnswering = true
    })
    // Alpaca sends JSON in binary frames, the paper venue in text frames.
    socket.on('message', (data: Buffer) => {
      if (!hasEnded) onMessage(data.toString()).catch(end)
    })
    socket.on('upgrade', ({ headers }) => options.onAnswer?.(101, headers))
    socket.on('unexpected-response', (_, { statusCode, headers }) => {
      options.onAnswer?.(statusCode!, headers)
      if (statusCode === 429) end(busyUntil(headers))
      else if (statusCode === 401 || statusCode === 403) {
        end(new BrokerCredentialsError(`The broker does not accept the keys (order stream: ${statusCode})`))
      } else broken(`the handshake was answered ${statusCode}`)
    })
    // terminate() while connecting emits an error too; by then the promise is settled.
    socket.on('error', (error) => broken(error.message, error))
    socket.on('close', (code) => broken(`closed with code ${code}`))
  })
}

/** The fields of a message that are read before its kind is known. */
interface StreamMessage {
  stream: string
  action: string
  data: { status?: string; streams?: string[] } | null
}
