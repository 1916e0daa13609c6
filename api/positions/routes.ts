import { findAccountStanding } from '#db/accounts.ts'
import { listAccountsOutOfTouch, listPositions } from '#db/positions.ts'
import Router from '@koa/router'
import { principalOf, type ApiContext, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { ApiError, fault } from '../errors.ts'
import { isId, readQuery } from '../validation/query.ts'
import { presentAccountPosition, presentPosition, presentPositionSummary } from './presenter.ts'
import { positionListQuery } from './query.ts'

/** The routes of positions, behind the admit guard. */
export function positionRoutes(admit: RouteMiddleware): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/positions' })
  router.use(admit)

  router.get('/', async (ctx) => {
    const filter = readQuery(ctx, positionListQuery)
    await requireKnownPositions(ctx, filter.accountId)
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
    await requireKnownPositions(ctx, account.id)
    const list = listPositions(em, userId, { accountId: account.id })
    const positions = await beforeDatabaseDeadline(ctx, list)
    const summary = presentPositionSummary(positions)
    ctx.body = { accountId: account.id, positions: positions.map(presentAccountPosition), summary }
  })

  return router
}

/** A list in which an account is missing would read as if it held nothing: throws POSITIONS_UNAVAILABLE, naming it. */
async function requireKnownPositions(ctx: ApiContext, accountId?: string): Promise<void> {
  const unknown = listAccountsOutOfTouch(ctx.state.em, principalOf(ctx).userId, accountId)
  const accounts = await beforeDatabaseDeadline(ctx, unknown)
  if (accounts.length === 0) return
  const details = accounts.map(({ id, name, detail }) =>
    fault(
      ['accountId', id],
      'positions_unknown',
      `${JSON.stringify(name)}: ${detail ?? 'it was not synced yet'}`,
    ),
  )
  const names = accounts.map(({ name }) => JSON.stringify(name)).join(', ')
  throw new ApiError('POSITIONS_UNAVAILABLE', {
    message: `The positions of ${names} are not known: the broker cannot be reached. Those of other accounts can be asked for by accountId`,
    details,
    headers: { 'Retry-After': '15' },
  })
}
