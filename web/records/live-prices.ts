import type { Position } from '#client/types.ts'
import { session } from '../connection/session.ts'
import { createStore } from '../connection/store.ts'
import { withPrices, type LivePrices } from './at-prices.ts'

/** The prices that the stream has told. */
export const livePrices = createStore<LivePrices>(new Map())

/**
 * The positions as they were when the stream told the sums: what a position is told at later is not in the sums yet. Null before
 * that.
 */
export const summedPositions = createStore<readonly Position[] | null>(null)

session.subscribe(() => {
  // They were those of another person's brokers.
  if (session.get().is !== 'out') return
  livePrices.set(new Map())
  summedPositions.set(null)
})

/** Takes over an event `quotes` of the stream. */
export function takePrices(news: Parameters<typeof withPrices>[1]): void {
  livePrices.set(withPrices(livePrices.get(), news))
}
