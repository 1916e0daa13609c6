import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from './part.ts'

const SHIM = new URL('moved-clock.ts', import.meta.url).href

/** The clock of a process of the service, which a test sets while that process runs, and in all its lives. */
export class MovableClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'durable-trader-clock-'))

  constructor() {
    this.move(0)
  }

  get #file(): string {
    return join(this.#folder, 'offset')
  }

  /** What the process is started with. */
  get settings(): Settings {
    return { NODE_OPTIONS: `--import=${SHIM}`, CLOCK_OFFSET_FILE: this.#file }
  }

  /** From now on it differs from the right time by so many milliseconds, ahead when they are positive. */
  move(milliseconds: number): void {
    // Whoever reads meanwhile finds the one or the other.
    writeFileSync(`${this.#file}.new`, String(milliseconds))
    renameSync(`${this.#file}.new`, this.#file)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}
