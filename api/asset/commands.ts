import { AssetLookupUnsupported, type ListedAsset, type BrokerAsset } from '#brokers/port.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import { DAY_MS, MINUTE_MS } from '#domain/time/instants.ts'
import { askBroker, connectTo, type BrokerAccess, KeptAnswers } from '../broker/asked.ts'
import { ApiError } from '#contract/errors.ts'
import { readSymbol } from '#contract/values/values.ts'
import type { z } from 'zod'
import { describeBrokerType } from '#domain/account/broker-types.ts'
import type { assetSearchQuery } from '#contract/assets.ts'

/** Milliseconds for lists, and for failed connections. */
const LISTING_LIFE = DAY_MS
const FAILURE_LIFE = MINUTE_MS / 2
const MOST_LISTINGS = 4

/** All users of an address share its list: 11,500 assets of Alpaca take 4 MB, 30,000 at most 20 MB. */
export class AssetListings {
  readonly #access: BrokerAccess
  readonly #listings: KeptAnswers
  readonly #failures: KeptAnswers

  /** Requests of `access` do not count as trading. */
  constructor(access: BrokerAccess, now: () => number = Date.now) {
    this.#access = access
    this.#listings = new KeptAnswers({ life: LISTING_LIFE, most: MOST_LISTINGS, now })
    this.#failures = new KeptAnswers({ life: FAILURE_LIFE, now })
  }

  /**
   * Sorted by symbol. Throws {@link AssetLookupUnsupported}, BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT,
   * BROKER_ERROR.
   */
  async of(connection: AccountConnection): Promise<readonly Findable[]> {
    const address = `${connection.brokerType} ${connection.baseUrl}`
    const known = this.#listings.find<readonly Findable[]>(address)
    // Another connection's failure may concern only its keys.
    const listed = known && (await known.catch(() => null))
    if (listed) return listed
    const failure = this.#failures.find<Error>(connection.brokerId)
    if (failure) throw await failure
    const listing = this.#read(connection)
    this.#listings.keep(address, listing)
    return listing
  }

  async #read(connection: AccountConnection): Promise<readonly Findable[]> {
    try {
      return findable(
        await askBroker(async () => {
          const broker = connectTo(this.#access, connection)
          if (!broker.listAssets) throw new AssetLookupUnsupported('The broker lists no assets')
          return broker.listAssets()
        }),
      )
    } catch (error) {
      // A spent share costs no request.
      if (!(error instanceof ApiError && error.code === 'BROKER_SHARE_SPENT'))
        this.#failures.keep(connection.brokerId, Promise.resolve(error))
      throw error
    }
  }
}

export interface Findable extends ListedAsset {
  /** Upper case, a space before each word, no other signs: ` APPLE INC`. */
  words: string
}

export const findable = (assets: readonly ListedAsset[]): readonly Findable[] =>
  assets
    .map((asset) => ({ ...asset, words: wordsOf(asset.name) }))
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))

/** Best first: the symbol, its beginning, the name's, its words', any part; then by symbol. */
export function matching(assets: readonly Findable[], text: string, limit: number): Findable[] {
  const read = readSymbol(text)
  const symbol = 'symbol' in read ? read.symbol : text.toUpperCase()
  const words = wordsOf(text)
  const each = [...new Set(words.split(/(?= )/))]
  const rankOf = (asset: Findable): number => {
    if (asset.symbol === symbol) return 0
    if (asset.symbol.startsWith(symbol)) return 1
    if (words !== '') {
      if (asset.words.startsWith(words)) return 2
      if (each.every((word) => asset.words.includes(word))) return 3
      if (asset.words.includes(words.slice(1))) return 4
    }
    return asset.symbol.includes(symbol) ? 4 : -1
  }
  const ranked: Findable[][] = [[], [], [], [], []]
  if (text !== '') for (const asset of assets) ranked[rankOf(asset)]?.push(asset)
  return ranked.flat().slice(0, limit)
}

const wordsOf = (text: string): string =>
  Array.from(text.toUpperCase().matchAll(/[\p{L}\p{N}]+/gu), ([word]) => ` ${word}`).join('')

/** The broker may still lack a look-up. */
const mayOfferLookup = ({ brokerType }: AccountConnection): boolean =>
  describeBrokerType(brokerType).capabilities.assetLookup

/** Throws ACCOUNT_NOT_FOUND, ASSET_LOOKUP_NOT_SUPPORTED, NO_ASSET_LOOKUP_ACCOUNT, and as `ask`. */
async function askFirst<T>(
  connections: readonly AccountConnection[],
  accountId: string | null,
  ask: (connection: AccountConnection) => Promise<T>,
): Promise<T> {
  const candidates =
    accountId === null ? connections : connections.filter((connection) => connection.accountId === accountId)
  if (accountId !== null && candidates.length === 0) throw new ApiError('ACCOUNT_NOT_FOUND')
  for (const connection of candidates.filter(mayOfferLookup)) {
    try {
      return await ask(connection)
    } catch (error) {
      if (!(error instanceof AssetLookupUnsupported)) throw error
    }
  }
  throw new ApiError(accountId === null ? 'NO_ASSET_LOOKUP_ACCOUNT' : 'ASSET_LOOKUP_NOT_SUPPORTED')
}

/** Throws as {@link askFirst}, and ASSET_NOT_FOUND, BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT, BROKER_ERROR. */
export const lookUpAsset = (
  access: BrokerAccess,
  connections: readonly AccountConnection[],
  symbol: string,
  accountId: string | null,
): Promise<BrokerAsset> =>
  askFirst(connections, accountId, async (connection) => {
    const asset = await askBroker(() => connectTo(access, connection).getAsset(symbol))
    if (!asset) throw new ApiError('ASSET_NOT_FOUND', { message: `The broker has no asset ${symbol}` })
    return asset
  })

/** Throws as {@link lookUpAsset}, except ASSET_NOT_FOUND. */
export const findAssets = (
  listings: AssetListings,
  connections: readonly AccountConnection[],
  // oxlint-disable-next-line no-restricted-properties -- a parameter of the query that was read, not the query itself
  { search, limit, accountId }: z.output<typeof assetSearchQuery>,
): Promise<ListedAsset[]> =>
  askFirst(connections, accountId ?? null, async (connection) =>
    matching(await listings.of(connection), search, limit),
  )
