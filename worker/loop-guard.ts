import { setEnvironmentData, type Worker as Thread } from 'node:worker_threads'
import { cellOf, GUARDED, newCells, PER_CALL } from '#config/guarded-threads.ts'
import type { Logger } from '#config/logger.ts'

const LOOP_LOOK_EVERY_MS = 500
/** Looks that make an endless loop: 5 s, as the SDK allows. */
const LOOKS_AT_A_LOOP = 10

/**
 * Ends workflow threads that loop without end. Time is counted in looks, because a paused process has looked once
 * meanwhile. After the first loop every entry has the SDK's own watchdog again, which fails only the looping workflow's
 * task.
 */
export class LoopGuard {
  readonly #cells = newCells()
  readonly #log: Logger
  readonly #lookEvery: number
  #ended = 0

  constructor(log: Logger, lookEvery = LOOP_LOOK_EVERY_MS) {
    this.#log = log
    this.#lookEvery = lookEvery
  }

  /** Guards later threads. Call it once in a process, before its first worker. */
  start(): void {
    setEnvironmentData(GUARDED, this.#cells.buffer)
    process.on('worker', (thread: Thread) => this.#watch(thread))
  }

  /** Number of ended threads; their worker cannot continue. */
  get ended(): number {
    return this.#ended
  }

  #watch(thread: Thread): void {
    const { threadId } = thread
    let last = 0
    let looks = 0
    const looking = setInterval(() => {
      const entry = Atomics.load(this.#cells, cellOf(threadId))
      const isInside = entry % 2 !== 0
      looks = isInside && entry === last ? looks + 1 : 0
      last = entry
      if (looks < LOOKS_AT_A_LOOP) return
      clearInterval(looking)
      this.#end(thread)
    }, this.#lookEvery).unref()
    thread.once('exit', () => clearInterval(looking))
  }

  #end(thread: Thread): void {
    Atomics.store(this.#cells, PER_CALL, 1)
    this.#ended += 1
    this.#log.error(
      { threadId: thread.threadId, seconds: (this.#lookEvery * LOOKS_AT_A_LOOP) / 1_000 },
      'a workflow loops without end: its thread is ended, and this worker starts again with the SDK’s watchdog at each ' +
        'entry; the alert about workflows that fail on their code names it',
    )
    thread
      .terminate()
      .catch((error: unknown) => this.#log.error({ err: error }, 'the thread could not be ended'))
  }
}
