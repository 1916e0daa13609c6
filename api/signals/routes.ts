import { listSignalEvents, listSignals, SIGNAL_ORDERS } from '#db/signals/signals.ts'
import { SIGNAL_EVENT_ORDER } from '#db/orders/event-order.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { principalOf } from '../http/context.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { readJsonDocument } from '../http/body.ts'
import { signalsEnabled } from '../guards/signals-enabled.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { checkSignal } from './check-commands.ts'
import { presentCheck } from './check-record.ts'
import { createSignal } from './commands.ts'
import { checkQuery, editsOf } from './decision-schema.ts'
import type { MarketData } from '../market/market-data.ts'
import { addDecisionRoutes } from './decision-routes.ts'
import { boundedDryRun, type BoundedDryRunDeps } from './dry-run-commands.ts'
import { presentDryRun } from './dry-run-record.ts'
import { ownSignal } from './own-signal.ts'
import {
  presentCreated,
  presentSignal,
  presentSignalDetail,
  presentSignalEvent,
  presentSource,
} from './record.ts'
import { withoutSecrets } from './source.ts'
import { noQuery, readQuery } from '../http/validation/query.ts'
import { findOrderInstants, findSource } from '#db/signals/story.ts'
import { signalEventsQuery, signalListQuery } from './list-schema.ts'
import { readSignalRequest } from './schema.ts'
import { senderOf, type SignalDeps } from '../access/sender.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of signals. */
export function signalRoutes(
  deps: SignalDeps & BoundedDryRunDeps & { market: MarketData; failpoint: Failpoint; enabled: boolean },
): RouteList {
  const routes = new RouteList('/api/v1/signals')

  routes.post('', signalsEnabled(deps.enabled), async (ctx) => {
    const { body, text } = await readJsonDocument(ctx)
    const request = readSignalRequest(body, Date.now())
    if (request.dryRun) {
      const run = await boundedDryRun(deps, ctx, request)
      ctx.body = presentDryRun(run, ctx.state.requestId)
      return
    }
    const answer = await createSignal(deps, senderOf(ctx, withoutSecrets(text)), request)
    ctx.state.signalId = answer.signal.id
    Object.assign(ctx, presentCreated(answer, ctx.state.requestId))
  })

  routes.get('', async (ctx) => {
    const order = SIGNAL_ORDERS[ctx.query['sort'] === 'validUntil' ? 'validUntil' : 'newest']
    const { filter, page } = readListQuery(ctx, signalListQuery, order)
    const list = listSignals(ctx.state.em, principalOf(ctx).userId, filter, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const signals = slice.items.map(presentSignal)
    ctx.body = standardSuccess({ signals, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.get('/:id', async (ctx) => {
    const signal = await ownSignal(ctx)
    const found = findOrderInstants(ctx.state.em, signal.userId, signal.id)
    const orders = await beforeDatabaseDeadline(ctx, found)
    ctx.body = standardSuccess(presentSignalDetail(signal, orders), ctx.state.requestId)
  })

  routes.get('/:id/source', async (ctx) => {
    readQuery(ctx, noQuery)
    const signal = await ownSignal(ctx)
    const body = await beforeDatabaseDeadline(ctx, findSource(ctx.state.em, signal.userId, signal.id))
    ctx.body = standardSuccess(presentSource(signal, body), ctx.state.requestId)
  })

  routes.get('/:id/events', async (ctx) => {
    const { page } = readListQuery(ctx, signalEventsQuery, SIGNAL_EVENT_ORDER)
    const { id } = await ownSignal(ctx)
    const list = listSignalEvents(ctx.state.em, principalOf(ctx).userId, id, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const events = slice.items.map(presentSignalEvent)
    ctx.body = standardSuccess({ events, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.get('/:id/check', async (ctx) => {
    const asked = readQuery(ctx, checkQuery)
    const signal = await ownSignal(ctx)
    const check = await checkSignal(deps, ctx, signal, editsOf(signal, asked))
    ctx.body = standardSuccess(presentCheck(check, ctx.state.requestId), ctx.state.requestId)
  })

  addDecisionRoutes(routes, deps)
  return routes
}
