import { listOwnConnections } from '#db/accounts/sync.ts'
import type { BrokerAccess } from '../brokers/access.ts'
import { principalOf } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { readPath, readQuery } from '../http/validation/query.ts'
import { lookUpAsset } from './lookup.ts'
import { presentAsset } from './record.ts'
import { assetPath, assetQuery } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** What brokers know of symbols. Read through: nothing is cached. */
export function assetRoutes(access: BrokerAccess): RouteList {
  const routes = new RouteList('/api/v1/assets')

  routes.get('/:symbol', async (ctx) => {
    const { symbol } = readPath(ctx, assetPath)
    const { accountId = null } = readQuery(ctx, assetQuery)
    const own = listOwnConnections(ctx.state.em, principalOf(ctx).userId)
    const asset = await lookUpAsset(access, await beforeDatabaseDeadline(ctx, own), symbol, accountId)
    const data = { asset: presentAsset(asset), capabilities: { supportsAssetLookup: true } }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  return routes
}
