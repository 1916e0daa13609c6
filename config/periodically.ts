import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'

export interface Part {
  start(): void
  /** Resolves when the work under way has ended. */
  stop(): Promise<void>
}

export async function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Does the work at once, and again after a pause (milliseconds). Errors are logged, and the work is repeated at its
 * time.
 * @param work resolves with milliseconds for another pause; its signal aborts at the stop
 */
export function periodically(
  name: string,
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<number | void>,
  log: Pick<Logger, 'warn'>,
): Part & { soon(): void } {
  const stopping = new AbortController()
  let pause = new AbortController()
  let running = Promise.resolve()
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      let wait: number | void = everyMs
      try {
        wait = await work(stopping.signal)
      } catch (error) {
        log.warn(
          { err: error, work: name },
          'work that is done again and again has failed; it is tried again',
        )
      }
      if (!stopping.signal.aborted) await pauseUnless(pause.signal, wait ?? everyMs)
    }
  }
  return {
    start() {
      running = run()
    },
    soon: () => pause.abort(),
    async stop() {
      stopping.abort()
      pause.abort()
      await running
    },
  }
}
