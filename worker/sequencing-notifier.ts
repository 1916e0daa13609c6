import type { Logger } from 'pino'
import type { EntityManager } from '#db/engine/database.ts'
import { listenForNews, type NewsListener } from '#db/live/listener.ts'
import { claimWaitersFor, listWaiters } from '#db/orders/sequencing.ts'

export interface SequencingNotifierDependencies {
  databaseUrl: string
  em: EntityManager
  /** Makes a signal check whether earlier signals have ended. Does nothing when it does not wait for them. */
  notify(signalId: string): Promise<void>
  log: Logger
}

/**
 * Notifies waiting signals when an earlier signal has changed, as soon as the change is committed. Missed changes are found
 * by the slow checks that each waiting signal makes by itself.
 */
export function startSequencingNotifier({
  databaseUrl,
  em,
  notify,
  log,
}: SequencingNotifierDependencies): NewsListener {
  async function tell(changedId: string | undefined): Promise<void> {
    try {
      const waiting = await (changedId === undefined
        ? listWaiters(em.fork())
        : claimWaitersFor(em.fork(), changedId))
      for (const signalId of waiting) await notify(signalId)
    } catch (error) {
      log.warn(
        { err: error, changedId },
        'signals that wait for earlier ones could not be notified; they check by themselves',
      )
    }
  }
  return listenForNews(
    databaseUrl,
    'sequencing',
    (changedId) => void tell(changedId),
    (error) => log.warn({ err: error }, 'the connection for changes of signals is lost; it is opened again'),
  )
}
