import { listOwnConnections } from '#db/accounts/sync.ts'
import { scoped } from '../access/policy.ts'
import type { BrokerAccess } from '../brokers/access.ts'
import { symbol } from '../http/validation/values.ts'
import { route } from '../route/route.ts'
import { assetLookupAnswer } from './answers.ts'
import { lookUpAsset } from './lookup.ts'
import { presentAsset } from './record.ts'
import { assetQuery } from './schema.ts'

/** The knowledge of brokers about symbols. Read through: nothing is cached. */
export const assetRoutes = [
  route({
    name: 'GET /api/v1/assets/:symbol',
    access: scoped('trading:read', { work: 'broker' }),
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
    errors: [
      'ACCOUNT_NOT_FOUND',
      'ASSET_NOT_FOUND',
      'NO_ASSET_LOOKUP_ACCOUNT',
      'ASSET_LOOKUP_NOT_SUPPORTED',
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
    ],
    run: async ({ me, em, caller, path, query: { accountId = null } }, access: BrokerAccess) => {
      const own = await caller.beforeDatabaseDeadline(listOwnConnections(em, me.userId))
      const asset = await lookUpAsset(access, own, path.symbol, accountId)
      return { asset: presentAsset(asset), capabilities: { supportsAssetLookup: true as const } }
    },
  }),
]
