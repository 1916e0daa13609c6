import { MINUTE_MS } from '#domain/time-units.ts'

/** Lines in a minute about the requests of one sender, by whatever senders are told apart. */
const OF_ONE = 100
/** The same for all senders together: one who comes from many addresses writes no more. */
const LINES_IN_ALL = 1_000

/**
 * Bounds how much a log grows by what nobody in particular, or nobody any more, is let in to do: the first lines of each
 * minute are written, the others counted. Otherwise a stranger fills the disk, which stops PostgreSQL and with it trading.
 */
export class LineBudget {
  readonly #tell: (leftOut: Record<string, number>) => void
  readonly #written = new Map<string, number>()
  #inAll = 0
  #leftOut: Record<string, number> = {}
  #isCounting = false

  /** @param tell told at the end of a minute how many lines were left out, by their kind; not called when none were */
  constructor(tell: (leftOut: Record<string, number>) => void) {
    this.#tell = tell
  }

  /** Whether a line about this sender may be written; where not it is counted under its kind, of which there are few. */
  allows(sender: string, kind: string | number): boolean {
    if (!this.#isCounting) setTimeout(() => this.#end(), MINUTE_MS).unref()
    this.#isCounting = true
    const written = this.#written.get(sender) ?? 0
    if (written >= OF_ONE || this.#inAll >= LINES_IN_ALL) {
      this.#leftOut[kind] = (this.#leftOut[kind] ?? 0) + 1
      return false
    }
    this.#written.set(sender, written + 1)
    this.#inAll += 1
    return true
  }

  #end(): void {
    const leftOut = this.#leftOut
    this.#isCounting = false
    this.#written.clear()
    this.#inAll = 0
    this.#leftOut = {}
    if (Object.keys(leftOut).length > 0) this.#tell(leftOut)
  }
}
