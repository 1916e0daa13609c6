import { exampleAnswer } from '../http/examples.ts'
import type { Operations } from '../http/operation.ts'
import { assetLookupAnswer } from './answers.ts'
import { assetPath, assetQuery } from './schema.ts'

/** The route of assets, for the description of the API. */
export const assetOperations: Operations = {
  'GET /api/v1/assets/:symbol': {
    tag: 'Assets',
    summary: 'Look a symbol up at the broker',
    description:
      'Read through from the broker, never cached. Without `accountId` the first connected account whose broker offers a look-up is asked; not every broker does. The symbol may be given in lower case.',
    path: assetPath,
    query: assetQuery,
    answers: {
      200: {
        description: 'What the broker says of the symbol at this moment',
        schema: assetLookupAnswer,
        examples: {
          'a share': exampleAnswer({
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
          }),
        },
      },
    },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'ASSET_NOT_FOUND',
      'NO_ASSET_LOOKUP_ACCOUNT',
      'ASSET_LOOKUP_NOT_SUPPORTED',
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
    ],
  },
}
