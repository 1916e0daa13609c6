import { endpoints } from '../endpoint.ts'
import { symbol } from '../values/values.ts'
import { assetLookupAnswer, assetsAnswer } from './answers.ts'
import { assetQuery, assetSearchQuery } from './schema.ts'

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
