import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ManagedProcess,
  ProcessNotReadyError,
  type ProcessExit,
  type ProcessSpec,
} from '#local/processes/managed-process.ts'
import type { RunRecord } from '#local/processes/run-record.ts'

/** Environment variables. */
export type Settings = Readonly<Record<string, string>>

/**
 * How long a part may fail to start: PostgreSQL waits for the last backends of a killed one, for example, and all wait for those
 * that stand still.
 */
const STARTING_MS = 75_000

/** One process of the stack, which a test may start, stop and kill as often as it likes. */
export class Part {
  readonly name: string
  readonly #specWith: (settings: Settings) => ProcessSpec
  readonly #record: RunRecord
  #process: ManagedProcess | undefined

  /** @param specWith how to start it, with settings for one life beside its usual ones */
  constructor(name: string, specWith: (settings: Settings) => ProcessSpec, record: RunRecord) {
    this.name = name
    this.#specWith = specWith
    this.#record = record
  }

  /**
   * Starts it and waits until it works; the settings last for this life only.
   *
   * @param within milliseconds in which it is tried again when it does not come to work
   */
  async start(settings: Settings = {}, within = STARTING_MS): Promise<void> {
    const spec = this.#specWith(settings)
    const deadline = performance.now() + within
    for (;;) {
      this.#process = await ManagedProcess.start(spec, this.#record)
      try {
        return await this.#process.untilReady()
      } catch (error) {
        await this.#process.stop()
        if (!(error instanceof ProcessNotReadyError) || performance.now() > deadline) throw error
      }
      await sleep(250)
    }
  }

  /** Ends it in good order. */
  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  /** Ends it on the spot, as `kill -9` does. */
  async kill(): Promise<void> {
    await this.#process?.kill()
  }

  /** Ends it in good order and starts it again; the settings last for the new life only. */
  async restart(settings: Settings = {}): Promise<void> {
    await this.stop()
    await this.start(settings)
  }

  /** Whether it has been started and has not ended since. */
  get isRunning(): boolean {
    return this.#process?.isRunning ?? false
  }

  /** Process id of the present life; a part that was never started has no life. */
  get pid(): number {
    if (!this.#process) throw new Error(`${this.name} was never started`)
    return this.#process.pid
  }

  /** How the present life ends; a part that was never started has no life. */
  get ended(): Promise<ProcessExit> {
    if (!this.#process) throw new Error(`${this.name} was never started`)
    return this.#process.exited
  }

  /** The last that it wrote, over all its lives. */
  logTail(bytes = 4_000): string {
    const file = this.#process?.spec.logFile
    const size = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    if (file === undefined || size === 0) return ''
    const descriptor = openSync(file, 'r')
    try {
      const chunk = Buffer.alloc(Math.min(bytes, size))
      return chunk.toString('utf8', 0, readSync(descriptor, chunk, 0, chunk.length, size - chunk.length))
    } finally {
      closeSync(descriptor)
    }
  }
}
