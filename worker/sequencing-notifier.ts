import type { Logger } from 'pino'
import type { Part } from '#config/periodically.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { listenForNews, type NewsListener } from '#db/live/listener.ts'
import { claimWaitersFor, listWaiters } from '#db/order/sequencing.ts'

export interface SequencingNotifierDependencies {
  databaseUrl: string
  em: EntityManager
  /** Makes a signal check whether earlier signals have ended. */
  notify(signalId: string): Promise<void>
  log: Logger
}

/** Milliseconds after a failure until all waiting signals are notified. */
const NOTIFIED_AGAIN_AFTER = 2_000

/**
 * Notifies waiting signals as soon as a change of an earlier signal is committed. After a failure all are notified a
 * little later. Their own slow checks find notices that a crash lost.
 */
export function sequencingNotifier({ databaseUrl, em, notify, log }: SequencingNotifierDependencies): Part {
  let again: NodeJS.Timeout | undefined
  let hasStopped = false
  let listener: NewsListener | undefined

  async function tell(changedId: string | undefined): Promise<void> {
    try {
      const waiting = await (changedId === undefined
        ? listWaiters(em.fork())
        : claimWaitersFor(em.fork(), changedId))
      for (const signalId of waiting) await notify(signalId)
    } catch (error) {
      if (hasStopped) return
      log.warn({ err: error, changedId }, 'signals that wait for earlier ones could not be notified yet')
      again ??= setTimeout(() => {
        again = undefined
        void tell(undefined)
      }, NOTIFIED_AGAIN_AFTER).unref()
    }
  }
  return {
    start() {
      listener = listenForNews(
        databaseUrl,
        'sequencing',
        (changedId) => void tell(changedId),
        (error) =>
          log.warn({ err: error }, 'the connection for changes of signals is lost; it is opened again'),
      )
    },
    async stop() {
      hasStopped = true
      clearTimeout(again)
      await listener?.stop()
    },
  }
}
