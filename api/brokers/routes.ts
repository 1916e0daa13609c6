import { brokerTypes } from '#brokers/registry.ts'
import { BROKER_ORDER, findBroker, listBrokers, type ConnectedBroker } from '#db/brokers/brokers.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { isId, noQuery, readQuery } from '../http/validation/query.ts'
import { readBody, readOptionalBody } from '../http/validation/request-body.ts'
import {
  changeConnection,
  makeConnection,
  removeConnection,
  testConnection,
  type BrokerManagement,
} from './commands.ts'
import { presentBroker, presentBrokerType } from './record.ts'
import { brokerChange, brokerListQuery, newBroker } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** Connections to brokers. */
export function brokerRoutes(deps: BrokerManagement): RouteList {
  const routes = new RouteList('/api/v1/brokers')

  routes.get('', async (ctx) => {
    const { page } = readListQuery(ctx, brokerListQuery, BROKER_ORDER)
    const list = listBrokers(ctx.state.em, principalOf(ctx).userId, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const brokers = slice.items.map(presentBroker)
    ctx.body = standardSuccess({ brokers, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.post('', async (ctx) => {
    const wanted = await readBody(ctx, newBroker)
    const broker = await makeConnection(deps, ctx, wanted)
    ctx.status = 201
    answer(ctx, broker)
  })

  routes.get('/types', async (ctx) => {
    readQuery(ctx, noQuery)
    ctx.body = standardSuccess({ types: brokerTypes.map(presentBrokerType) }, ctx.state.requestId)
  })

  routes.get('/:brokerId', async (ctx) => {
    readQuery(ctx, noQuery)
    answer(ctx, await namedBroker(ctx))
  })

  routes.patch('/:brokerId', async (ctx) => {
    const change = await readBody(ctx, brokerChange)
    answer(ctx, await changeConnection(deps, ctx, await namedBroker(ctx), change))
  })

  routes.delete('/:brokerId', async (ctx) => {
    await removeConnection(ctx, await namedBroker(ctx))
    const message = 'The connection is removed, and its keys with it; what was traded through it stays'
    ctx.body = standardSuccess({ message }, ctx.state.requestId)
  })

  routes.post('/:brokerId/test', async (ctx) => {
    await readOptionalBody(ctx, {})
    answer(ctx, await testConnection(deps, ctx, await namedBroker(ctx)))
  })

  return routes
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
