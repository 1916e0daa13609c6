import type { BrokerAsset } from '#brokers/port.ts'
import { toJsonNumber } from '../http/presentation.ts'
import type { AssetAnswer } from './answers.ts'

export const presentAsset = (asset: BrokerAsset): AssetAnswer => ({
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
