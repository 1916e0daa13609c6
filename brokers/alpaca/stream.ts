import type { IncomingHttpHeaders } from 'node:http'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '../port.ts'
import { holdSocket, type Line } from './socket.ts'
import { readJson } from './wire.ts'

export interface TradeUpdatesOptions {
  url: URL
  keyId: string
  secretKey: string
  /** Milliseconds. */
  patienceMs: number
  onAnswer?(status: number, headers: IncomingHttpHeaders): void
  onReady(): void
  /** Milliseconds since the broker was last heard, every two seconds. */
  onPulse?(silentFor: number): void
  onUpdate(update: unknown): Promise<void>
}

/**
 * Streams Alpaca's trade_updates until `signal` aborts. Rejects when the connection ends otherwise, a ping stays
 * unanswered, or a message is not JSON: events are not replayed, so the caller reconnects and compares. Throws {@link
 * BrokerCredentialsError} for rejected keys.
 */
export function listenToTradeUpdates(options: TradeUpdatesOptions, signal: AbortSignal): Promise<void> {
  const onMessage = async (text: string, { send, setReady }: Line): Promise<void> => {
    const message = readJson(text, 'stream message') as Partial<StreamMessage> | null
    if (message?.stream === 'trade_updates') {
      await options.onUpdate(message.data)
    } else if (message?.stream === 'authorization') {
      if (message.data?.status !== 'authorized') {
        throw new BrokerCredentialsError('Wrong key or secret (order stream)')
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
          ? new BrokerCredentialsError(`Wrong key or secret (order stream: ${status})`)
          : null,
      onMessage: (text, line) => void onMessage(text, line).catch(line.end),
    },
    signal,
  )
}

interface StreamMessage {
  stream: string
  action: string
  data: { status?: string; streams?: string[] } | null
}
