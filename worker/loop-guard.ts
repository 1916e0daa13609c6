import { setEnvironmentData, type Worker as Thread } from 'node:worker_threads'
import { cellOf, GUARDED, newCells, PER_CALL } from '#config/guarded-threads.ts'
import type { Logger } from '#config/logger.ts'

/** Milliseconds between two looks at a thread. */
const LOOP_LOOK_EVERY_MS = 500
/** Looks at the same entry into the sandbox, after which it counts as a loop without end: 5 s, as the SDK allows. */
const LOOKS_AT_A_LOOP = 10

/**
 * Ends workflow threads of this process that loop without end. Time is counted in looks, not by the clock: a process that
 * was stopped for an hour, or a machine that slept, has looked once meanwhile. From the first loop on every entry has the
 * SDK's own watchdog again, which fails the task of the looping workflow alone and names it.
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

  /** Guards threads that are made from now on. To be called once in a process, before it has a worker. */
  start(): void {
    setEnvironmentData(GUARDED, this.#cells.buffer)
    process.on('worker', (thread: Thread) => this.#watch(thread))
  }

  /** How many threads it has ended; their worker cannot go on. */
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
