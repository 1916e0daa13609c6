import type { z } from 'zod'
import { AssetLookupUnsupported, type BrokerAsset, type ListedAsset } from '#brokers/port.ts'
import { describeBrokerType } from '#domain/broker-types.ts'
import type { AccountConnection } from '#db/accounts/sync.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'
import { ApiError } from '#contract/errors.ts'
import { matching, type AssetListings } from './listings.ts'
import type { assetSearchQuery } from '#contract/assets/schema.ts'

/** By the catalogue; a broker may still turn out to have no look-up when it is asked. */
const mayOfferLookup = ({ brokerType }: AccountConnection): boolean =>
  describeBrokerType(brokerType).capabilities.assetLookup

/** Throws {@link ApiError} ACCOUNT_NOT_FOUND, ASSET_LOOKUP_NOT_SUPPORTED, NO_ASSET_LOOKUP_ACCOUNT, and as `ask`. */
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

/** Throws as {@link askFirst}, and {@link ApiError} ASSET_NOT_FOUND, BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT, BROKER_ERROR. */
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

/** Throws as {@link lookUpAsset}, but no ASSET_NOT_FOUND. */
export const findAssets = (
  listings: AssetListings,
  connections: readonly AccountConnection[],
  // oxlint-disable-next-line no-restricted-properties -- a parameter of the query that was read, not the query itself
  { search, limit, accountId }: z.output<typeof assetSearchQuery>,
): Promise<ListedAsset[]> =>
  askFirst(connections, accountId ?? null, async (connection) =>
    matching(await listings.of(connection), search, limit),
  )
