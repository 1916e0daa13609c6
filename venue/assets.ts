import { createHash } from 'node:crypto'
import { LISTINGS, type Exchange } from './listings.ts'

export interface Asset {
  id: string
  symbol: string
  name: string
  assetClass: 'us_equity'
  exchange: Exchange
  isTradable: boolean
  isShortable: boolean
  isFractionable: boolean
  /** Percent of the market value; null if unknown. */
  marginRequirement: { maintenance: number | null; long: number | null; short: number | null }
}

const USUAL_MARGIN = { maintenance: 30, long: 50, short: 50 }

type Rule = Partial<
  Pick<Asset, 'name' | 'isTradable' | 'isShortable' | 'isFractionable' | 'marginRequirement'>
>

/** Rules for trials; five of the names are invented. */
const RULES: Readonly<Record<string, Rule>> = {
  'BRK.A': { isFractionable: false },
  HALTED: { name: 'Halted Test Issue', isTradable: false },
  NOMARGIN: {
    name: 'Unreported Margin Test Issue',
    marginRequirement: { maintenance: null, long: null, short: null },
  },
  ZEROMARGIN: { name: 'Zero Margin Test Issue', marginRequirement: { maintenance: 0, long: 0, short: 0 } },
  NOFRAC: { name: 'Whole Shares Only Test Issue', isFractionable: false },
  NOSHORT: { name: 'Hard To Borrow Test Issue', isShortable: false },
}

const OF_TEST_SUITES = /^Z[QT][A-Z]{0,18}$/

/** Asset; null for an unlisted name, such as a coin. */
export function findAsset(symbol: string): Asset | null {
  const listing = LISTINGS.get(symbol)
  const rule = Object.hasOwn(RULES, symbol) ? RULES[symbol]! : null
  if (!listing && !rule && !OF_TEST_SUITES.test(symbol)) return null
  return {
    id: assetIdOf(symbol),
    symbol,
    name: listing?.name ?? rule?.name ?? `${symbol} Test Issue`,
    assetClass: 'us_equity',
    exchange: listing?.exchange ?? 'NYSE',
    isTradable: rule?.isTradable ?? true,
    isShortable: rule?.isShortable ?? true,
    isFractionable: rule?.isFractionable ?? true,
    marginRequirement: rule?.marginRequirement ?? USUAL_MARGIN,
  }
}

export const listedAssets = (): Asset[] =>
  [...new Set([...LISTINGS.keys(), ...Object.keys(RULES)])].toSorted().map((symbol) => findAsset(symbol)!)

const assetIds = new Map<string, string>()
const symbolsById = new Map<string, string>()
const ASSET_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Symbol of a symbol or id; a test suite's id is known after its first answer. */
export function symbolNamed(symbolOrId: string): string {
  if (!ASSET_ID.test(symbolOrId)) return symbolOrId
  if (!symbolsById.has(assetIdOf('SPY'))) listedAssets()
  return symbolsById.get(symbolOrId.toLowerCase()) ?? symbolOrId
}

/** Id by RFC 9562 version 8, the same at every venue. */
export function assetIdOf(symbol: string): string {
  const known = assetIds.get(symbol)
  if (known !== undefined) return known
  const hex = createHash('sha256').update(`asset:${symbol}`).digest('hex')
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  assetIds.set(symbol, id)
  symbolsById.set(id, symbol)
  return id
}
