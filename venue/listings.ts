import { readFileSync } from 'node:fs'

/**
 * S&P 500 of August 2026 (public domain: `s-and-p-500-companies` and `s-and-p-500-companies-financials` of
 * github.com/datasets), and other popular shares and ETFs. Prices are typical, for demos.
 */
const FILE = new URL('listings.csv', import.meta.url)

const EXCHANGES = ['NYSE', 'NASDAQ', 'ARCA', 'BATS'] as const
export type Exchange = (typeof EXCHANGES)[number]

export interface Listing {
  name: string
  exchange: Exchange
  /** Dollars a share around which it trades. */
  level: number
}

export const LISTINGS: ReadonlyMap<string, Listing> = new Map(
  readFileSync(FILE, 'utf8').trimEnd().split('\n').slice(1).map(listingOf),
)

/** Line `symbol,exchange,price,name`; the name may have commas. */
function listingOf(line: string): [string, Listing] {
  const [symbol = '', named = '', price, ...name] = line.split(',')
  const exchange = EXCHANGES.find((each) => each === named)
  const level = Number(price)
  if (exchange === undefined || !(level > 0))
    throw new Error(`A line of listings.csv cannot be read: ${line}`)
  return [symbol, { name: name.join(','), exchange, level }]
}
