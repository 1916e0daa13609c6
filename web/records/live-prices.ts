import type { Position } from '#client/types.ts'
import { session } from '../connection/session.ts'
import { createStore } from '../connection/store.ts'
import { withPrices, type LivePrices } from './at-prices.ts'

/** Prices that the stream has reported. */
export const livePrices = createStore<LivePrices>(new Map())

/** The positions at the time of the reported sums, which do not contain later prices. Null before the first sums. */
export const summedPositions = createStore<readonly Position[] | null>(null)

session.subscribe(() => {
  // The prices are from another person's brokers.
  if (session.get().is !== 'out') return
  livePrices.set(new Map())
  summedPositions.set(null)
})

/** Applies a `quotes` event of the stream. */
export function takePrices(news: Parameters<typeof withPrices>[1]): void {
  livePrices.set(withPrices(livePrices.get(), news))
}
