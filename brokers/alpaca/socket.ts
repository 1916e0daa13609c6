import { WebSocket } from 'ws'
import type { IncomingHttpHeaders } from 'node:http'
import { busyUntil } from '../retry-after.ts'
import { BrokerOutcomeUnknown } from '../port.ts'

const MAX_STREAM_MESSAGE_BYTES = 1024 * 1024

export interface SocketOptions {
  url: URL
  keyId: string
  secretKey: string
  /** Milliseconds to authorise, and to answer a ping. */
  patienceMs: number
  name: string
  onAnswer?(status: number, headers: IncomingHttpHeaders): void
  /** Null to reconnect. */
  refusalOf(status: number | undefined): Error | null
  onMessage(text: string, line: Line): void
  /** Milliseconds since the other side was last heard, every two seconds. */
  onPulse?(silentFor: number): void
}

const PULSE_MS = 2_000

export interface Line {
  send(message: object): void
  setReady(): void
  end(error: Error): void
  broken(what: string, cause?: unknown): void
  readonly hasEnded: boolean
}

/** Resolves when `signal` aborts; rejects at any other end, without authorisation, and for an unanswered ping. */
export function holdSocket(options: SocketOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  const { url, keyId, secretKey, patienceMs, name } = options
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      handshakeTimeout: patienceMs,
      maxPayload: MAX_STREAM_MESSAGE_BYTES,
      perMessageDeflate: false,
    })
    const send = (message: object) => socket.send(JSON.stringify(message))
    const broken = (what: string, cause?: unknown) =>
      end(new BrokerOutcomeUnknown(`The broker's ${name} broke: ${what}`, { cause }))

    let isReady = false
    let isAnswering = true
    let heardAt = performance.now()
    const heartbeat = setInterval(() => {
      if (!isReady) return broken(`not authorised within ${patienceMs} ms`)
      if (!isAnswering) return broken(`a ping was not answered within ${patienceMs} ms`)
      isAnswering = false
      socket.ping()
    }, patienceMs)
    let pulsedAt = performance.now()
    const pulse = setInterval(() => {
      const now = performance.now()
      // This process was paused: answers may be unread.
      if (now - pulsedAt > 2 * PULSE_MS) heardAt = now
      pulsedAt = now
      if (!isReady || !options.onPulse) return
      options.onPulse(now - heardAt)
      socket.ping()
    }, PULSE_MS)
    const onAbort = () => end(null)
    signal.addEventListener('abort', onAbort)

    let hasEnded = false
    const end = (error: Error | null) => {
      hasEnded = true
      clearInterval(heartbeat)
      clearInterval(pulse)
      signal.removeEventListener('abort', onAbort)
      socket.terminate()
      if (error) reject(error)
      else resolve()
    }

    const line: Line = {
      send,
      setReady: () => (isReady = true),
      end,
      broken,
      get hasEnded() {
        return hasEnded
      },
    }

    socket.on('open', () => send({ action: 'auth', key: keyId, secret: secretKey }))
    socket.on('pong', () => {
      isAnswering = true
      heardAt = performance.now()
    })
    // Alpaca sends JSON in binary frames, the paper venue in text frames.
    socket.on('message', (data: Buffer) => {
      heardAt = performance.now()
      if (!hasEnded) options.onMessage(data.toString(), line)
    })
    socket.on('upgrade', ({ headers }) => options.onAnswer?.(101, headers))
    socket.on('unexpected-response', (_, { statusCode, headers }) => {
      options.onAnswer?.(statusCode!, headers)
      const refusal = statusCode === 429 ? busyUntil(headers) : options.refusalOf(statusCode)
      if (refusal) end(refusal)
      else broken(`the handshake was answered ${statusCode}`)
    })
    // terminate() while connecting emits an error too; by then the promise is settled.
    socket.on('error', (error) => broken(error.message, error))
    socket.on('close', (code) => broken(`closed with code ${code}`))
  })
}
