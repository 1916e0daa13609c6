import { write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

/** Characters that wait for a reader that is slow; further lines are lost. */
const MOST_WAITING = 4 << 20
/** Milliseconds until a pipe whose reader is slow is tried again. */
const RETRY_AFTER = 100

/**
 * Where log lines go: a file descriptor. Lines that cannot be written, as on a full disk, are lost, and the process goes on, for it
 * has exits to send. The next line that can be written follows one that counts them.
 *
 * pino's own destination ends the process at the first line that finds no room, or waits for room for ever.
 */
export class LogDestination implements DestinationStream {
  readonly #descriptor: number
  readonly #tellLoss: (lines: number) => string
  #waiting: string[] = []
  #waitingLength = 0
  #isWriting = false
  #lost = 0
  #endsWithinLine = false

  /** @param tellLoss the line that tells how many were lost, with its line break */
  constructor(descriptor: number, tellLoss: (lines: number) => string) {
    this.#descriptor = descriptor
    this.#tellLoss = tellLoss
  }

  /** Takes a line with its line break, and writes it soon. */
  write(line: string): void {
    if (this.#waitingLength > MOST_WAITING) {
      this.#lost += 1
      return
    }
    this.#waiting.push(line)
    this.#waitingLength += line.length
    if (!this.#isWriting) this.#writeWaiting()
  }

  /** Writes what waits before it returns, as far as there is room. pino asks for it after each fatal line. */
  flushSync(): void {
    for (let rest = this.#takeWaiting(); rest.length > 0;)
      try {
        rest = this.#written(rest, writeSync(this.#descriptor, rest))
      } catch {
        rest = this.#lose(rest)
      }
  }

  #writeWaiting(): void {
    const rest = this.#takeWaiting()
    this.#isWriting = rest.length > 0
    if (this.#isWriting) this.#writeRest(rest)
  }

  #writeRest(rest: Buffer): void {
    write(this.#descriptor, rest, (error, length) => {
      if (error?.code === 'EAGAIN') return void setTimeout(() => this.#writeRest(rest), RETRY_AFTER)
      const left = error ? this.#lose(rest) : this.#written(rest, length)
      if (left.length > 0) this.#writeRest(left)
      else this.#writeWaiting()
    })
  }

  #takeWaiting(): Buffer {
    const lines = this.#waiting
    if (lines.length === 0) return Buffer.alloc(0)
    const before = `${this.#endsWithinLine ? '\n' : ''}${this.#lost > 0 ? this.#tellLoss(this.#lost) : ''}`
    this.#waiting = []
    this.#waitingLength = 0
    this.#lost = 0
    return Buffer.from(before + lines.join(''))
  }

  #written(rest: Buffer, length: number): Buffer {
    const left = rest.subarray(length)
    this.#endsWithinLine = left.length > 0
    return left
  }

  /** Counts the lines of what could not be written. */
  #lose(rest: Buffer): Buffer {
    this.#lost += rest.toString().split('\n').length - 1
    return Buffer.alloc(0)
  }
}
