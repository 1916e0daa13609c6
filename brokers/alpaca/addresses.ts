import type { PriceFeed } from './feed.ts'

/** For paper and live accounts. A broker that speaks Alpaca's API serves prices at its own address. */
const PRICES = 'https://data.alpaca.markets'
const PRICE_STREAM = 'https://stream.data.alpaca.markets'

const isAlpacaItself = ({ hostname }: URL): boolean => hostname.endsWith('.alpaca.markets')
const webSocketAt = ({ href }: URL, path: string): URL =>
  new URL(`${href.replace(/^http/, 'ws').replace(/\/{1,9}$/, '')}${path}`)

/** @param trading address of the Trading API, as in all of these */
export const pricesAt = (trading: URL): URL => (isAlpacaItself(trading) ? new URL(PRICES) : trading)

export const priceStreamAt = (trading: URL, feed: PriceFeed): URL =>
  webSocketAt(isAlpacaItself(trading) ? new URL(PRICE_STREAM) : trading, `/v2/${feed}`)

export const orderStreamAt = (trading: URL): URL => webSocketAt(trading, '/stream')
