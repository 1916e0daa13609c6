import type { Logger } from 'pino'
import type { EntityManager } from '#db/engine/database.ts'
import { listenForNews, type NewsListener } from '#db/live/listener.ts'
import { claimWaitersFor, listWaiters } from '#db/orders/sequencing.ts'

export interface SequencingNotifierDependencies {
  databaseUrl: string
  em: EntityManager
  /** Has a signal look whether its turn has come. Does nothing when it does not wait for that. */
  notify(signalId: string): Promise<void>
  log: Logger
}

/**
 * Tells signals that wait for their turn when an earlier one has changed, as soon as that is committed. What is missed
 * is found by the slow look that each waiting signal takes by itself.
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
        'signals that wait for their turn could not be told; they look by themselves',
      )
    }
  }
  return listenForNews(
    databaseUrl,
    'sequencing',
    (changedId) => void tell(changedId),
    (error) => log.warn({ err: error }, 'the connection that tells of turns is lost; it is opened again'),
  )
}
