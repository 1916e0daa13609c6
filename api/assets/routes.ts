import { listOwnConnections } from '#db/account-sync.ts'
import type { BrokerAccess } from '../broker-access.ts'
import { principalOf } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { standardSuccess } from '../envelopes.ts'
import { readPath, readQuery } from '../validation/query.ts'
import { lookUpAsset } from './lookup.ts'
import { presentAsset } from './presenter.ts'
import { assetPath, assetQuery } from './query.ts'
import { RouteList } from '../route-list.ts'

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
