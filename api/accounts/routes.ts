import { findAccount, listAccounts } from '#db/accounts.ts'
import Router from '@koa/router'
import { principalOf, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { ApiError } from '../errors.ts'
import { isId, noQuery, readQuery } from '../validation/query.ts'
import { presentAccount, presentAccountDetail } from './presenter.ts'

/** The routes of accounts, behind the admit guard. */
export function accountRoutes(admit: RouteMiddleware): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/accounts' })
  router.use(admit)

  router.get('/', async (ctx) => {
    readQuery(ctx, noQuery)
    const accounts = await beforeDatabaseDeadline(ctx, listAccounts(ctx.state.em, principalOf(ctx).userId))
    ctx.body = { accounts: accounts.map(presentAccount) }
  })

  router.get('/:accountId', async (ctx) => {
    const { accountId } = ctx.params
    const found = isId(accountId)
      ? await beforeDatabaseDeadline(ctx, findAccount(ctx.state.em, principalOf(ctx).userId, accountId))
      : null
    if (!found) throw new ApiError('ACCOUNT_NOT_FOUND')
    ctx.body = presentAccountDetail(found)
  })

  return router
}
