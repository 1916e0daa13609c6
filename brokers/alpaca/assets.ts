import type { BrokerHttp, HttpAnswer } from '../http.ts'
import { AssetLookupUnsupported, BrokerOutcomeUnknown, type BrokerAsset, type ListedAsset } from '../port.ts'
import { asset } from './holdings.ts'
import { readSuccess } from './reading.ts'
import { isNotFound } from './rejections.ts'
import { readWire, wireAsset, wireAssetList, wireListedAsset } from './wire.ts'

/** One answer has all assets: about 11,500 and 5 MB at the time of writing, seconds on a slow line. */
export const LISTING_BOUNDS = { timeoutMs: 15_000, maxAnswerBytes: 16 * 1024 * 1024 }
const MOST_ASSETS = 30_000
const LONGEST_NAME = 200

/** A service that the server does not have at all (RFC 9110, section 15.6.2). */
const HTTP_NOT_IMPLEMENTED = 501

/** Throws {@link AssetLookupUnsupported} where assets cannot be asked for. */
export async function readAsset(http: BrokerHttp, symbol: string): Promise<BrokerAsset | null> {
  const answer = await http.send('GET', `/v2/assets/${encodeURIComponent(symbol)}`)
  assertOffered(answer)
  return isNotFound(answer) ? null : asset(readWire(wireAsset, readSuccess(answer, 'asset'), 'asset'))
}

/** Unreadable rows are left out; a list of only such rows throws. Throws as {@link readAsset}. */
export async function readAssets(http: BrokerHttp): Promise<ListedAsset[]> {
  const query = new URLSearchParams({ status: 'active', asset_class: 'us_equity' })
  const answer = await http.send('GET', `/v2/assets?${query.toString()}`)
  assertOffered(answer)
  const rows = readWire(wireAssetList, readSuccess(answer, 'list of assets'), 'list of assets')
  const readable = rows.flatMap((row) => wireListedAsset.safeParse(row).data ?? [])
  if (rows.length > 0 && readable.length === 0)
    throw new BrokerOutcomeUnknown("The broker's list of assets cannot be read")
  return readable
    .filter((row) => row.tradable && row.status === 'active' && row.class === 'us_equity')
    .slice(0, MOST_ASSETS)
    .map(({ symbol, name, exchange }) => ({ symbol, name: name?.slice(0, LONGEST_NAME) ?? '', exchange }))
}

function assertOffered({ status }: HttpAnswer): void {
  if (status === HTTP_NOT_IMPLEMENTED)
    throw new AssetLookupUnsupported('The broker offers no look-up of assets')
}
