import { listOwnConnections } from '#db/account-sync.ts'
import Router from '@koa/router'
import type { BrokerAccess } from '../broker-access.ts'
import { principalOf, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { standardSuccess } from '../envelopes.ts'
import { readPath, readQuery } from '../validation/query.ts'
import { lookUpAsset } from './lookup.ts'
import { presentAsset } from './presenter.ts'
import { assetPath, assetQuery } from './query.ts'

/** What brokers know of symbols, behind the admit guard. Read through: nothing is cached. */
export function assetRoutes(admit: RouteMiddleware, access: BrokerAccess): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/assets' })
  router.use(admit)

  router.get('/:symbol', async (ctx) => {
    const { symbol } = readPath(ctx, assetPath)
    const { accountId = null } = readQuery(ctx, assetQuery)
    const own = listOwnConnections(ctx.state.em, principalOf(ctx).userId)
    const asset = await lookUpAsset(access, await beforeDatabaseDeadline(ctx, own), symbol, accountId)
    const data = { asset: presentAsset(asset), capabilities: { supportsAssetLookup: true } }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  return router
}
