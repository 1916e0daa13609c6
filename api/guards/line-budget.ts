import { MINUTE_MS } from '#domain/time-units.ts'

const OF_ONE = 100
/** Of all senders: many addresses write no more. */
const LINES_IN_ALL = 1_000

/** A full disk stops PostgreSQL and trading: the first lines of a minute are written, others counted. */
export class LineBudget {
  readonly #tell: (leftOut: Record<string, number>) => void
  readonly #written = new Map<string, number>()
  #inAll = 0
  #leftOut: Record<string, number> = {}
  #isCounting = false

  /** @param tell called at the end of a minute with lines left out, by kind */
  constructor(tell: (leftOut: Record<string, number>) => void) {
    this.#tell = tell
  }

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
