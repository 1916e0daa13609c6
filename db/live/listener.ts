import { Backoff } from '#domain/async/backoff.ts'
import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds, doubled with every try. */
const FIRST_RETRY = 250
const LAST_RETRY = 5_000

export interface NewsListener {
  stop(): Promise<void>
}

/** Reopens broken connections. `heard` without payload: notifications may have been missed. */
export function listenForNews(
  url: string,
  channel: 'live_events' | 'sequencing',
  heard: (told?: string) => void,
  lost: (error: unknown) => void,
): NewsListener {
  const stopping = new AbortController()
  const retry = new Backoff({ first: FIRST_RETRY, most: LAST_RETRY })

  async function listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: `durable-trader ${channel.replace('_', ' ')}`,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    const over = new Promise<never>((_, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('The connection to PostgreSQL was closed')))
      stopping.signal.addEventListener('abort', () => reject(new Error('Stopping')), { once: true })
    })
    client.on('notification', ({ payload }) => heard(payload))
    try {
      await Promise.race([over, client.connect()])
      await Promise.race([over, client.query(`listen ${channel}`)])
      retry.reset()
      heard()
      await over
    } finally {
      await close(client)
    }
  }

  async function keepListening(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await listen()
      } catch (error) {
        if (stopping.signal.aborted) return
        lost(error)
      }
      await pause(retry.next(), undefined, { ref: false })
    }
  }

  const listening = keepListening()
  return {
    async stop() {
      stopping.abort()
      await listening
    },
  }
}

/** The client is not used again. */
async function close(client: pg.Client): Promise<void> {
  const closed = client.end().catch(() => {})
  await Promise.race([closed, pause(1_000, undefined, { ref: false })])
}
