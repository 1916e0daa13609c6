import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { detachFromRequest } from './deadline.ts'

export interface Background {
  run(name: string, work: () => Promise<void>): void
  /** Resolves when all work has ended, or after a few seconds. */
  whenIdle(): Promise<void>
}

/** Milliseconds that a stopping process waits. */
const BACKGROUND_WAIT_MS = 5_000

export function createBackground(logger: Logger): Background {
  const running = new Set<Promise<void>>()
  return {
    run(name, work) {
      const ended = detachFromRequest(work)
        .catch((error: unknown) => logger.error({ err: error, work: name }, 'work in the background failed'))
        .finally(() => running.delete(ended))
      running.add(ended)
    },
    async whenIdle() {
      const limit = pause(BACKGROUND_WAIT_MS, undefined, { ref: false })
      while (running.size > 0) if ((await Promise.race([Promise.all(running), limit])) === undefined) return
    },
  }
}
