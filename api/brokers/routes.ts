import { brokerTypes } from '#brokers/registry.ts'
import { BROKER_ORDER, findBroker, listBrokers, type ConnectedBroker } from '#db/brokers.ts'
import Router from '@koa/router'
import { principalOf, type ApiContext, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { standardSuccess } from '../envelopes.ts'
import { ApiError } from '../errors.ts'
import { presentPaging, readListQuery } from '../paging.ts'
import { isId, noQuery, readQuery } from '../validation/query.ts'
import { readBody, readOptionalBody } from '../validation/request-body.ts'
import {
  changeConnection,
  makeConnection,
  removeConnection,
  testConnection,
  type BrokerManagement,
} from './connections.ts'
import { presentBroker, presentBrokerType } from './presenter.ts'
import { brokerChange, brokerListQuery, newBroker } from './requests.ts'

/** Connections to brokers, behind the admit guard. */
export function brokerRoutes(admit: RouteMiddleware, deps: BrokerManagement): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/brokers' })
  router.use(admit)

  router.get('/', async (ctx) => {
    const { page } = readListQuery(ctx, brokerListQuery, BROKER_ORDER)
    const list = listBrokers(ctx.state.em, principalOf(ctx).userId, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const brokers = slice.items.map(presentBroker)
    ctx.body = standardSuccess({ brokers, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  router.post('/', async (ctx) => {
    const wanted = await readBody(ctx, newBroker)
    const broker = await makeConnection(deps, ctx, wanted)
    ctx.status = 201
    answer(ctx, broker)
  })

  router.get('/types', async (ctx) => {
    readQuery(ctx, noQuery)
    ctx.body = standardSuccess({ types: brokerTypes.map(presentBrokerType) }, ctx.state.requestId)
  })

  router.get('/:brokerId', async (ctx) => {
    readQuery(ctx, noQuery)
    answer(ctx, await namedBroker(ctx))
  })

  router.patch('/:brokerId', async (ctx) => {
    const change = await readBody(ctx, brokerChange)
    answer(ctx, await changeConnection(deps, ctx, await namedBroker(ctx), change))
  })

  router.delete('/:brokerId', async (ctx) => {
    await removeConnection(ctx, await namedBroker(ctx))
    const message = 'The connection is removed, and its keys with it; what was traded through it stays'
    ctx.body = standardSuccess({ message }, ctx.state.requestId)
  })

  router.post('/:brokerId/test', async (ctx) => {
    await readOptionalBody(ctx, {})
    answer(ctx, await testConnection(deps, ctx, await namedBroker(ctx)))
  })

  return router
}

function answer(ctx: ApiContext, broker: ConnectedBroker): void {
  ctx.body = standardSuccess({ broker: presentBroker(broker) }, ctx.state.requestId)
}

async function namedBroker(ctx: ApiContext): Promise<ConnectedBroker> {
  const { brokerId } = ctx.params
  const found = isId(brokerId)
    ? await beforeDatabaseDeadline(ctx, findBroker(ctx.state.em, principalOf(ctx).userId, brokerId))
    : null
  if (!found) throw new ApiError('BROKER_NOT_FOUND')
  return found
}
