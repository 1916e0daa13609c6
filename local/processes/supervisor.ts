import { setTimeout as sleep } from 'node:timers/promises'
import { describeExit, ManagedProcess, ProcessNotReadyError, type ProcessSpec } from './managed-process.ts'
import type { RunRecord } from './run-record.ts'

/** How long to wait before each restart in a row, in milliseconds; the last one repeats. */
const RESTART_DELAYS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** A process that has worked this long begins the row anew. */
const STEADY_AFTER_MS = 60_000

export type SupervisorOptions = {
  record: RunRecord
  /** Called with a sentence about what happens to a process after it was first ready. */
  announce: (sentence: string) => void
  restartDelays?: readonly number[]
}

/**
 * Keeps processes working: one that ends is started again, sooner at first and then every half minute. One
 * that has worked before is never given up: exits of open positions depend on it, and what stopped it, such as
 * a full disk, may pass. One that was never ready is reported to the caller and left alone.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #stop = new AbortController()
  readonly #watches = new Set<Promise<void>>()

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /**
   * Starts a process, waits until it is ready, and keeps it working from then on.
   *
   * @throws {ProcessNotReadyError} when it is not ready; it has been stopped then
   */
  async keep(spec: ProcessSpec): Promise<void> {
    const process_ = await this.#start(spec)
    const watch = this.#watch(spec, process_).finally(() => this.#watches.delete(watch))
    this.#watches.add(watch)
  }

  /** Stops every process, the last one kept first. Those that have ended meanwhile stay ended. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#options.record.close()
    await Promise.all(this.#watches)
  }

  async #start(spec: ProcessSpec): Promise<ManagedProcess> {
    const process_ = await ManagedProcess.start(spec, this.#options.record)
    try {
      await process_.untilReady()
    } catch (error) {
      await process_.stop()
      throw error
    }
    return process_
  }

  async #watch(spec: ProcessSpec, first: ManagedProcess): Promise<void> {
    const delays = this.#options.restartDelays ?? RESTART_DELAYS
    let current = first
    let restarts = 0
    let readySince = Date.now()
    let ended = describeExit(await current.exited)
    while (!this.#stop.signal.aborted) {
      if (Date.now() - readySince > STEADY_AFTER_MS) restarts = 0
      const delay = delays[Math.min(restarts, delays.length - 1)]!
      restarts += 1
      this.#options.announce(
        `${spec.name} ended (${ended}); it is started again in ${delay / 1000} s. Its log: ${spec.logFile}`,
      )
      await this.#pause(delay)
      if (this.#stop.signal.aborted) return
      try {
        current = await this.#start(spec)
      } catch (error) {
        // Stopping makes every start fail, and that is no news.
        if (this.#stop.signal.aborted) return
        if (!(error instanceof ProcessNotReadyError)) throw error
        ended = error.message
        continue
      }
      readySince = Date.now()
      this.#options.announce(`${spec.name} works again.`)
      ended = describeExit(await current.exited)
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    // The wait ends early, and on purpose, when everything is to stop.
    await sleep(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => {})
  }
}
