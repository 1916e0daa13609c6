import type { IncomingHttpHeaders } from 'node:http'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '../port.ts'
import { holdSocket, type Line } from './socket.ts'
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
  /** Every two seconds: milliseconds since the broker was last heard of. */
  onPulse?(silentFor: number): void
  /** An event, of whatever shape. What it throws, or rejects with, breaks the stream. */
  onUpdate(update: unknown): Promise<void>
}

/**
 * Listens to Alpaca's trade_updates until `signal` aborts, and resolves then. Rejects when the connection
 * ends in any other way, when a ping stays unanswered, and when a message is not JSON: events are not
 * replayed, so the caller reconnects and compares by asking. Throws {@link BrokerCredentialsError} when the
 * keys are not accepted.
 */
export function listenToTradeUpdates(options: TradeUpdatesOptions, signal: AbortSignal): Promise<void> {
  const onMessage = async (text: string, { send, setReady }: Line): Promise<void> => {
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
      setReady()
      options.onReady()
    } else if (message?.action === 'error') {
      throw new BrokerOutcomeUnknown('The broker ended its order stream')
    }
  }
  return holdSocket(
    {
      ...options,
      name: 'order stream',
      refusalOf: (status) =>
        status === 401 || status === 403
          ? new BrokerCredentialsError(`The broker does not accept the keys (order stream: ${status})`)
          : null,
      onMessage: (text, line) => void onMessage(text, line).catch(line.end),
    },
    signal,
  )
}

/** The fields of a message that are read before its kind is known. */
interface StreamMessage {
  stream: string
  action: string
  data: { status?: string; streams?: string[] } | null
}
