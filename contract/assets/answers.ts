import { z } from 'zod'

const percent = (of: string) =>
  z
    .number()
    .nullable()
    .describe(`${of}, in percent of the market value; null when the broker reports none, which is not 0`)

const assetAnswer = z.strictObject({
  symbol: z.string(),
  name: z.string(),
  exchange: z.string(),
  assetClass: z.string(),
  status: z.string(),
  tradable: z.boolean(),
  marginable: z.boolean(),
  shortable: z.boolean(),
  easyToBorrow: z.boolean(),
  fractionable: z.boolean().describe('May be traded in parts of a share'),
  maintenanceMarginRequirement: percent('Margin to be maintained'),
  marginRequirementLong: percent('Initial margin of a long position'),
  marginRequirementShort: percent('Initial margin of a short position'),
})

export const assetLookupAnswer = z.strictObject({
  asset: assetAnswer,
  capabilities: z.strictObject({ supportsAssetLookup: z.boolean() }),
})

const listedAssetAnswer = z
  .strictObject({
    symbol: z.string(),
    name: z.string().describe('Empty where the broker tells none'),
    exchange: z.string(),
  })
  .meta({ id: 'ListedAsset' })

export const assetsAnswer = z.strictObject({ assets: z.array(listedAssetAnswer).describe('Best first') })

export type AssetAnswer = z.output<typeof assetAnswer>
export type ListedAssetAnswer = z.output<typeof listedAssetAnswer>
