import { session } from '../connection/session.ts'
import { createStore } from '../connection/store.ts'
import { withPrices, type LivePrices } from './at-prices.ts'

/** The prices that the stream has told. */
export const livePrices = createStore<LivePrices>(new Map())

session.subscribe(() => {
  // They were those of another person's brokers.
  if (session.get().is === 'out') livePrices.set(new Map())
})

/** Takes over an event `quotes` of the stream. */
export function takePrices(news: Parameters<typeof withPrices>[1]): void {
  livePrices.set(withPrices(livePrices.get(), news))
}
