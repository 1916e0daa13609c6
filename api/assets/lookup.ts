import { AssetLookupUnsupported, type BrokerAsset } from '#brokers/port.ts'
import { describeBrokerType } from '#brokers/registry.ts'
import type { AccountConnection } from '#db/accounts/sync.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'
import { ApiError } from '../http/errors.ts'

/** The word of the catalogue; a broker may still turn out to have no look-up when it is asked. */
const mayOfferLookup = ({ brokerType }: AccountConnection): boolean =>
  describeBrokerType(brokerType).capabilities.assetLookup

/**
 * What a broker says of a symbol at this moment; nothing is kept.
 *
 * @param connections the caller's accounts in the order in which they were connected
 * @param accountId whose broker to ask; null for the first one that offers a look-up
 *
 * Throws {@link ApiError} ACCOUNT_NOT_FOUND, ASSET_LOOKUP_NOT_SUPPORTED, NO_ASSET_LOOKUP_ACCOUNT, ASSET_NOT_FOUND,
 * BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT, BROKER_ERROR.
 */
export async function lookUpAsset(
  access: BrokerAccess,
  connections: readonly AccountConnection[],
  symbol: string,
  accountId: string | null,
): Promise<BrokerAsset> {
  const candidates =
    accountId === null ? connections : connections.filter((connection) => connection.accountId === accountId)
  if (accountId !== null && candidates.length === 0) throw new ApiError('ACCOUNT_NOT_FOUND')
  for (const connection of candidates.filter(mayOfferLookup)) {
    try {
      const asset = await askBroker(() => connectTo(access, connection).getAsset(symbol))
      if (!asset) throw new ApiError('ASSET_NOT_FOUND', { message: `The broker has no asset ${symbol}` })
      return asset
    } catch (error) {
      if (!(error instanceof AssetLookupUnsupported)) throw error
    }
  }
  throw new ApiError(accountId === null ? 'NO_ASSET_LOOKUP_ACCOUNT' : 'ASSET_LOOKUP_NOT_SUPPORTED')
}
