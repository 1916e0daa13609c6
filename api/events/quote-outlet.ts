import { toIsoInstant } from '../http/presentation.ts'
import { presentQuote } from '../market/record.ts'
import type { LiveQuote } from '#brokers/upstream.ts'

const MESSAGE_PAUSE_MS = 250

const present = ({ quote, asOf, isStreamed }: LiveQuote) => ({
  ...presentQuote(quote),
  asOf: toIsoInstant(new Date(asOf)),
  isStreamed,
})

/** At once, then after a pause; only the newest price of a symbol waits, so that a client that does not read
 * takes no memory. */
export class QuoteOutlet {
  readonly #due = new Map<string, LiveQuote>()
  readonly #tell: (quotes: ReturnType<typeof present>[]) => boolean
  #timer: NodeJS.Timeout | null = null

  /** @param tell false when the client takes nothing now */
  constructor(tell: (quotes: ReturnType<typeof present>[]) => boolean) {
    this.#tell = tell
  }

  offer(changed: readonly LiveQuote[]): void {
    for (const one of changed) this.#due.set(one.quote.symbol, one)
    if (this.#timer === null) this.#send()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#due.clear()
  }

  #send(): void {
    this.#timer = null
    if (this.#due.size === 0) return
    if (this.#tell([...this.#due.values()].map(present))) this.#due.clear()
    this.#timer = setTimeout(() => this.#send(), MESSAGE_PAUSE_MS)
  }
}
