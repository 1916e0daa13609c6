import { listOwnConnections } from '#db/account/sync.ts'
import { scoped } from '../access/policy.ts'
import type { BrokerAccess } from '../broker/asked.ts'
import { route } from '../route/route.ts'
import { type AssetAnswer, assetEndpoints } from '#contract/assets.ts'
import { type AssetListings, findAssets, lookUpAsset } from './commands.ts'
import type { BrokerAsset } from '#brokers/port.ts'
import { toJsonNumber } from '../http/presentation.ts'

export const assetRoutes = [
  route(assetEndpoints['GET /api/v1/assets'], {
    access: scoped('trading:read', { work: 'broker' }),
    run: async ({ me, em, caller, query }, { listings }: { listings: AssetListings }) => {
      const own = await caller.beforeDatabaseDeadline(listOwnConnections(em, me.userId))
      const assets = await findAssets(listings, own, query)
      return { assets: assets.map(({ symbol, name, exchange }) => ({ symbol, name, exchange })) }
    },
  }),
  route(assetEndpoints['GET /api/v1/assets/:symbol'], {
    access: scoped('trading:read', { work: 'broker' }),
    run: async ({ me, em, caller, path, query: { accountId = null } }, access: BrokerAccess) => {
      const own = await caller.beforeDatabaseDeadline(listOwnConnections(em, me.userId))
      const asset = await lookUpAsset(access, own, path.symbol, accountId)
      return { asset: presentAsset(asset), capabilities: { supportsAssetLookup: true as const } }
    },
  }),
]

const presentAsset = (asset: BrokerAsset): AssetAnswer => ({
  symbol: asset.symbol,
  name: asset.name,
  exchange: asset.exchange,
  assetClass: asset.assetClass,
  status: asset.status,
  tradable: asset.tradable,
  marginable: asset.marginable,
  shortable: asset.shortable,
  easyToBorrow: asset.easyToBorrow,
  fractionable: asset.fractionable,
  maintenanceMarginRequirement: toJsonNumber(asset.maintenanceMarginRequirement),
  marginRequirementLong: toJsonNumber(asset.marginRequirementLong),
  marginRequirementShort: toJsonNumber(asset.marginRequirementShort),
})
