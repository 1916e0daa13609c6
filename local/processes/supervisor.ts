import { setTimeout as sleep } from 'node:timers/promises'
import { describeExit, ManagedProcess, ProcessNotReadyError, type ProcessSpec } from './managed-process.ts'
import type { RunRecord } from './run-record.ts'

/** Milliseconds before each restart in a row; the last value repeats. */
const RESTART_DELAYS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** Milliseconds of work after which the delays begin again. */
const STEADY_AFTER_MS = 60_000

export type SupervisorOptions = {
  record: RunRecord
  announce: (sentence: string) => void
  restartDelays?: readonly number[]
}

/**
 * Restarts processes that end, soon at first, then every half minute. A process that has worked is never given up:
 * exits depend on it, and the cause, such as a full disk, may pass. A process that was never ready is reported to the
 * caller.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #stop = new AbortController()
  readonly #watches = new Set<Promise<void>>()

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /**
   * Starts a process, waits until it is ready, and keeps it working.
   *
   * @throws {ProcessNotReadyError} when it is not ready; it has been stopped then
   */
  async keep(spec: ProcessSpec): Promise<void> {
    const process_ = await this.#start(spec)
    const watch = this.#watch(spec, process_).finally(() => this.#watches.delete(watch))
    this.#watches.add(watch)
  }

  /** Stops every process, the last kept first. Ended ones stay ended. */
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
        // Stopping makes every start fail, without a report.
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
    // A stop ends the wait early.
    await sleep(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => {})
  }
}
