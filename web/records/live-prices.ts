import type { Position } from '#client/types.ts'
import { session } from '../connection/session.ts'
import { createStore } from '../connection/store.ts'
import { withPrices, type LivePrices } from './at-prices.ts'

export const livePrices = createStore<LivePrices>(new Map())

/** Positions of the reported sums, which do not contain later prices; null before the first. */
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
