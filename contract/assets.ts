import { z } from 'zod'
import { lineOfText, uuid, wholeNumber, symbol } from './values/values.ts'
import { endpoints } from './endpoint.ts'

const accountId = uuid().optional()

const assetQuery = z.strictObject({ accountId })

const LONGEST_SEARCH = 60
const MOST_FOUND = 20

export const assetSearchQuery = z.strictObject({
  search: lineOfText(LONGEST_SEARCH)
    .transform((text) => text.trim())
    .describe('The beginning of a symbol, or words of a name or their beginnings'),
  accountId: accountId.describe('Whose broker is asked; without it the first one that offers a look-up'),
  limit: wholeNumber(1, MOST_FOUND).default(MOST_FOUND),
})

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

const assetLookupAnswer = z.strictObject({
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

const assetsAnswer = z.strictObject({ assets: z.array(listedAssetAnswer).describe('Best first') })

export type AssetAnswer = z.output<typeof assetAnswer>
export type ListedAssetAnswer = z.output<typeof listedAssetAnswer>

const LOOKUP_ERRORS = [
  'ACCOUNT_NOT_FOUND',
  'NO_ASSET_LOOKUP_ACCOUNT',
  'ASSET_LOOKUP_NOT_SUPPORTED',
  'BROKER_CREDENTIALS_INVALID',
  'BROKER_ERROR',
  'BROKER_SHARE_SPENT',
] as const

export const assetEndpoints = endpoints({
  'GET /api/v1/assets': {
    tag: 'Assets',
    summary: 'Find symbols by their beginning or by the name of the company',
    description:
      'Of the US shares and ETFs that can be traded at the broker of the account: by the symbol, by its beginning, by words of the name or their beginnings, and by any part of both, in this order and in any case. The list of a broker is read once a day. Without `accountId` the first connected account whose broker offers a look-up is asked.',
    query: assetSearchQuery,
    answers: {
      200: {
        description: 'Those that are found; none is no error',
        schema: assetsAnswer,
        examples: {
          'by a name': { assets: [{ symbol: 'AAPL', name: 'Apple Inc. Common Stock', exchange: 'NASDAQ' }] },
        },
      },
    },
    errors: LOOKUP_ERRORS,
  },
  'GET /api/v1/assets/:symbol': {
    tag: 'Assets',
    summary: 'Look a symbol up at the broker',
    description:
      'Read through from the broker, never cached. Without `accountId` the first connected account whose broker offers a look-up is asked; not every broker does. The symbol may be given in lower case.',
    path: { symbol: { schema: symbol() } },
    query: assetQuery,
    answers: {
      200: {
        description: 'What the broker says of the symbol at this moment',
        schema: assetLookupAnswer,
        examples: {
          'a share': {
            asset: {
              symbol: 'AAPL',
              name: 'Apple Inc. Common Stock',
              exchange: 'NASDAQ',
              assetClass: 'us_equity',
              status: 'active',
              tradable: true,
              marginable: true,
              shortable: true,
              easyToBorrow: true,
              fractionable: true,
              maintenanceMarginRequirement: 30,
              marginRequirementLong: 50,
              marginRequirementShort: null,
            },
            capabilities: { supportsAssetLookup: true },
          },
        },
      },
    },
    errors: [...LOOKUP_ERRORS, 'ASSET_NOT_FOUND'],
  },
})
