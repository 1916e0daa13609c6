import { findStrategy, listStrategies, STRATEGY_ORDER, type KnownStrategy } from '#db/signals/strategies.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { isId, noQuery, readQuery } from '../http/validation/query.ts'
import { readBody } from '../http/validation/request-body.ts'
import { createStrategy, deleteStrategy, editStrategy, type Owner } from './commands.ts'
import { presentStrategy } from './record.ts'
import { newStrategy, strategyChange, strategyListQuery } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of strategies. */
export function strategyRoutes(): RouteList {
  const routes = new RouteList('/api/v1/strategies')

  routes.get('', async (ctx) => {
    const { filter, page } = readListQuery(ctx, strategyListQuery, STRATEGY_ORDER)
    const { userId, tradingMode } = principalOf(ctx)
    const { archived: isArchived, status } = filter
    const list = listStrategies(ctx.state.em, userId, tradingMode, { status, isArchived }, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const strategies = slice.items.map(presentStrategy)
    ctx.body = standardSuccess({ strategies, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.post('', async (ctx) => {
    const terms = await readBody(ctx, newStrategy)
    const id = await beforeDatabaseDeadline(ctx, createStrategy(ctx.state.em, ownerOf(ctx), terms))
    ctx.status = 201
    answer(ctx, await ownStrategy(ctx, id))
  })

  routes.get('/:strategyId', async (ctx) => {
    readQuery(ctx, noQuery)
    answer(ctx, await ownStrategy(ctx, strategyIdOf(ctx)))
  })

  routes.patch('/:strategyId', async (ctx) => {
    const change = await readBody(ctx, strategyChange)
    const id = strategyIdOf(ctx)
    await beforeDatabaseDeadline(ctx, editStrategy(ctx.state.em, ownerOf(ctx), id, change))
    answer(ctx, await ownStrategy(ctx, id))
  })

  routes.delete('/:strategyId', async (ctx) => {
    const id = strategyIdOf(ctx)
    await beforeDatabaseDeadline(ctx, deleteStrategy(ctx.state.em, ownerOf(ctx), id))
    ctx.body = standardSuccess({ message: 'The strategy is deleted', strategyId: id }, ctx.state.requestId)
  })

  return routes
}

function strategyIdOf({ params: { strategyId } }: ApiContext): string {
  if (!isId(strategyId)) throw new ApiError('STRATEGY_NOT_FOUND')
  return strategyId
}

async function ownStrategy(ctx: ApiContext, id: string): Promise<KnownStrategy> {
  const { userId, tradingMode } = principalOf(ctx)
  const known = await beforeDatabaseDeadline(ctx, findStrategy(ctx.state.em, userId, tradingMode, id))
  if (!known) throw new ApiError('STRATEGY_NOT_FOUND')
  return known
}

function answer(ctx: ApiContext, known: KnownStrategy): void {
  ctx.body = standardSuccess(presentStrategy(known), ctx.state.requestId)
}

const ownerOf = (ctx: ApiContext): Owner => ({
  userId: principalOf(ctx).userId,
  ip: ctx.state.clientIp,
  requestId: ctx.state.requestId,
})
