import { Backoff } from '#domain/backoff.ts'
import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds until a lost connection is opened again, doubled with every try up to the second. */
const FIRST_RETRY = 250
const LAST_RETRY = 5_000

/** A connection on which PostgreSQL says that records have changed. */
export interface NewsListener {
  stop(): Promise<void>
}

/**
 * Listens on one connection of its own, which is opened again whenever it breaks. Tells only that there is news; what
 * it is, and what came while no listener was connected, is to be read.
 *
 * @param channel on which PostgreSQL tells of them
 * @param heard there is news, with what was told of it; without when there may have been some that was not heard
 * @param lost the connection broke or could not be opened; it is tried again
 */
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

/** Whether it still can be closed does not matter: it is not used again. */
async function close(client: pg.Client): Promise<void> {
  const closed = client.end().catch(() => {})
  await Promise.race([closed, pause(1_000, undefined, { ref: false })])
}
