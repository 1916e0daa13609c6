import { findAccountStanding } from '#db/accounts.ts'
import { listPositions } from '#db/positions.ts'
import Router from '@koa/router'
import { principalOf, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { ApiError } from '../errors.ts'
import { isId, readQuery } from '../validation/query.ts'
import { presentAccountPosition, presentPosition, presentPositionSummary } from './presenter.ts'
import { positionListQuery } from './query.ts'

/** The routes of positions, behind the admit guard. */
export function positionRoutes(admit: RouteMiddleware): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/positions' })
  router.use(admit)

  router.get('/', async (ctx) => {
    const filter = readQuery(ctx, positionListQuery)
    const list = listPositions(ctx.state.em, principalOf(ctx).userId, filter)
    const positions = await beforeDatabaseDeadline(ctx, list)
    ctx.body = { positions: positions.map(presentPosition), summary: presentPositionSummary(positions) }
  })

  router.get('/:accountId', async (ctx) => {
    const { accountId } = ctx.params
    const { em } = ctx.state
    const { userId } = principalOf(ctx)
    const account = isId(accountId)
      ? await beforeDatabaseDeadline(ctx, findAccountStanding(em, userId, accountId))
      : null
    if (!account) throw new ApiError('ACCOUNT_NOT_FOUND')
    const list = listPositions(em, userId, { accountId: account.id })
    const positions = await beforeDatabaseDeadline(ctx, list)
    const summary = presentPositionSummary(positions)
    ctx.body = { accountId: account.id, positions: positions.map(presentAccountPosition), summary }
  })

  return router
}
