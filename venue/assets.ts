import { createHash } from 'node:crypto'

/** An asset that the venue lists under a symbol. */
export interface Asset {
  id: string
  symbol: string
  name: string
  assetClass: 'us_equity' | 'crypto'
  exchange: 'NYSE' | 'NASDAQ' | 'ARCA' | 'CRYPTO'
  isTradable: boolean
  isShortable: boolean
  isFractionable: boolean
  /** Percent of the market value that must be held as margin; null when the venue does not say. */
  marginRequirement: { maintenance: number | null; long: number | null; short: number | null }
}

const USUAL_MARGIN = { maintenance: 30, long: 50, short: 50 }

type Listing = Partial<Omit<Asset, 'id' | 'symbol'>>

/** Known names, and six made-up ones on which a rule can be tried. */
const LISTED: Readonly<Record<string, Listing>> = {
  AAPL: { name: 'Apple Inc. Common Stock', exchange: 'NASDAQ' },
  AMD: { name: 'Advanced Micro Devices, Inc. Common Stock', exchange: 'NASDAQ' },
  AMZN: { name: 'Amazon.com, Inc. Common Stock', exchange: 'NASDAQ' },
  'BRK.A': { name: 'Berkshire Hathaway Inc. Class A', isFractionable: false },
  'BRK.B': { name: 'Berkshire Hathaway Inc. Class B' },
  DIA: { name: 'SPDR Dow Jones Industrial Average ETF Trust', exchange: 'ARCA' },
  GOOGL: { name: 'Alphabet Inc. Class A Common Stock', exchange: 'NASDAQ' },
  IWM: { name: 'iShares Russell 2000 ETF', exchange: 'ARCA' },
  JPM: { name: 'JPMorgan Chase & Co.' },
  META: { name: 'Meta Platforms, Inc. Class A Common Stock', exchange: 'NASDAQ' },
  MSFT: { name: 'Microsoft Corporation Common Stock', exchange: 'NASDAQ' },
  NVDA: { name: 'NVIDIA Corporation Common Stock', exchange: 'NASDAQ' },
  QQQ: { name: 'Invesco QQQ Trust, Series 1', exchange: 'NASDAQ' },
  SPY: { name: 'SPDR S&P 500 ETF Trust', exchange: 'ARCA' },
  TSLA: { name: 'Tesla, Inc. Common Stock', exchange: 'NASDAQ' },
  HALTED: { name: 'Halted Test Issue', isTradable: false },
  NOMARGIN: {
    name: 'Unreported Margin Test Issue',
    marginRequirement: { maintenance: null, long: null, short: null },
  },
  ZEROMARGIN: { name: 'Zero Margin Test Issue', marginRequirement: { maintenance: 0, long: 0, short: 0 } },
  NOFRAC: { name: 'Whole Shares Only Test Issue', isFractionable: false },
  NOSHORT: { name: 'Hard To Borrow Test Issue', isShortable: false },
}

const SYMBOL = /^[A-Z][A-Z0-9./-]{0,9}$/
/** Symbols with this beginning do not exist, so that a test can name one that certainly does not. */
const UNLISTED_PREFIX = 'XX'

/** Pairs of coins, which are listed and not traded. */
const COIN = /^(?:[A-Z]+\/[A-Z]+|(?:BTC|ETH|DOGE|SOL|XRP)USD[TC]?)$/

/** The asset under a symbol: every well-formed symbol is listed, except those beginning with XX. */
export function findAsset(symbol: string): Asset | null {
  if (!SYMBOL.test(symbol) || symbol.startsWith(UNLISTED_PREFIX)) return null
  const listing = LISTED[symbol]
  const isCoin = COIN.test(symbol)
  return {
    id: assetIdOf(symbol),
    symbol,
    name: listing?.name ?? (isCoin ? symbol : `${symbol} Common Stock`),
    assetClass: isCoin ? 'crypto' : 'us_equity',
    exchange: listing?.exchange ?? (isCoin ? 'CRYPTO' : 'NYSE'),
    isTradable: listing?.isTradable ?? !isCoin,
    isShortable: listing?.isShortable ?? true,
    isFractionable: listing?.isFractionable ?? true,
    marginRequirement: listing?.marginRequirement ?? USUAL_MARGIN,
  }
}

/** The assets that have a listing of their own. */
export const listedAssets = (): Asset[] => Object.keys(LISTED).map((symbol) => findAsset(symbol)!)

const assetIds = new Map<string, string>()

/** A UUID made from the symbol (RFC 9562 version 8), the same at every venue. */
export function assetIdOf(symbol: string): string {
  const known = assetIds.get(symbol)
  if (known !== undefined) return known
  const hex = createHash('sha256').update(`asset:${symbol}`).digest('hex')
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  assetIds.set(symbol, id)
  return id
}
