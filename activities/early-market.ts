import type { EntryMarket, MarketNeeds } from '#domain/entry-check.ts'
import { MARKET_FRESH_FOR } from '#domain/entry-times.ts'

/** What a broker was asked for an entry. */
export interface AskedMarket {
  needs: MarketNeeds
  market: Promise<EntryMarket>
}

/**
 * What brokers were asked for entries while Temporal starts their workflows in this process: that takes longer than the
 * broker does. An entry that begins elsewhere, or too late, is asked for again.
 */
export class EarlyMarkets {
  readonly #asked = new Map<string, AskedMarket & { at: number }>()

  /** @returns to be called when nobody waits for the entry any more */
  note(signalId: string, asked: AskedMarket): () => void {
    this.#asked.set(signalId, { ...asked, at: performance.now() })
    // Whoever takes it hears of a failure; nobody may.
    asked.market.catch(() => {})
    return () => this.#asked.delete(signalId)
  }

  /** What was asked for the entry, once; null when nothing was, or too long ago. */
  take(signalId: string): AskedMarket | null {
    const asked = this.#asked.get(signalId)
    this.#asked.delete(signalId)
    return asked && performance.now() - asked.at < MARKET_FRESH_FOR ? asked : null
  }
}
