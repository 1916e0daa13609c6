import { fstatSync, statSync, write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'
import { PART_BYTES, setAsideOpen } from './log-parts.ts'

/** Characters that wait for a slow reader; further lines are lost. */
const MOST_WAITING = 4 << 20
const PIPE_RETRY_MS = 100

/**
 * Destination of log lines: a file descriptor. Lines that cannot be written, as on a full disk, are lost and counted in
 * a later line, and the process continues, because it has exits to send. pino's own destination would end the process
 * or wait for ever.
 */
export class LogDestination implements DestinationStream {
  readonly #descriptor: number
  readonly #reportLoss: (lines: number) => string
  #waiting: string[] = []
  #waitingLength = 0
  #isWriting = false
  #lost = 0
  #endsWithinLine = false
  readonly #file: string | undefined
  /** Bytes until the file is set aside. */
  #room: number

  /**
   * @param reportLoss returns the line, with its line break, that reports the number of lost lines
   * @param file the file behind the descriptor that this process keeps short; any other is left alone
   */
  constructor(descriptor: number, reportLoss: (lines: number) => string, file?: string) {
    this.#descriptor = descriptor
    this.#reportLoss = reportLoss
    this.#file = file
    const { ino, size } = fstatSync(descriptor)
    const isOpen = file !== undefined && statSync(file, { throwIfNoEntry: false })?.ino === ino
    this.#room = isOpen ? PART_BYTES - size : Infinity
  }

  write(line: string): void {
    if (this.#waitingLength > MOST_WAITING) {
      this.#lost += 1
      return
    }
    this.#waiting.push(line)
    this.#waitingLength += line.length
    if (!this.#isWriting) this.#writeWaiting()
  }

  /** pino calls it after each fatal line. */
  flushSync(): void {
    for (let rest = this.#takeWaiting(); rest.length > 0;)
      try {
        rest = this.#written(rest, writeSync(this.#descriptor, rest))
      } catch {
        rest = this.#lose(rest)
      }
  }

  #writeWaiting(): void {
    if (this.#room <= 0) return void this.#setAside()
    const rest = this.#takeWaiting()
    this.#isWriting = rest.length > 0
    if (this.#isWriting) this.#writeRest(rest)
  }

  #writeRest(rest: Buffer): void {
    write(this.#descriptor, rest, (error, length) => {
      if (error?.code === 'EAGAIN') return void setTimeout(() => this.#writeRest(rest), PIPE_RETRY_MS)
      const left = error ? this.#lose(rest) : this.#written(rest, length)
      if (left.length > 0) this.#writeRest(left)
      else this.#writeWaiting()
    })
  }

  /** Lines wait meanwhile; a file that cannot be copied is tried again when it has grown as much again. */
  async #setAside(): Promise<void> {
    this.#isWriting = true
    this.#room = PART_BYTES
    try {
      await setAsideOpen(this.#file!)
    } catch (error) {
      const msg = `the log cannot be set aside: ${String(error)}`
      this.#waiting.push(`${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg })}\n`)
    }
    this.#writeWaiting()
  }

  #takeWaiting(): Buffer {
    const lines = this.#waiting
    if (lines.length === 0) return Buffer.alloc(0)
    const before = `${this.#endsWithinLine ? '\n' : ''}${this.#lost > 0 ? this.#reportLoss(this.#lost) : ''}`
    this.#waiting = []
    this.#waitingLength = 0
    this.#lost = 0
    return Buffer.from(before + lines.join(''))
  }

  #written(rest: Buffer, length: number): Buffer {
    const left = rest.subarray(length)
    this.#room -= length
    this.#endsWithinLine = left.length > 0
    return left
  }

  #lose(rest: Buffer): Buffer {
    this.#lost += rest.toString().split('\n').length - 1
    return Buffer.alloc(0)
  }
}
