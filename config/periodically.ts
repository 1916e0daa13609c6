import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'

/** A part of a process, which works from its start until it is stopped. */
export interface Part {
  start(): void
  /** Resolves when the work under way has ended. */
  stop(): Promise<void>
}

/** Waits so many milliseconds, or until the signal aborts. */
export async function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Does the work at once, and again so many milliseconds after each end of it. An error is told in the log, and the work done
 * again at its time.
 *
 * @param name of the work, in the log
 * @param work resolves with milliseconds where the next pause is another one; its signal aborts at the stop
 */
export function periodically(
  name: string,
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<number | void>,
  log: Pick<Logger, 'warn'>,
): Part & { /** Ends the present pause. */ soon(): void } {
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
