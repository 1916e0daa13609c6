import { findSignal, listSignalEvents, listSignals } from '#db/signals.ts'
import Router from '@koa/router'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { principalOf, type ApiContext, type ApiState, type RouteMiddleware } from '../context.ts'
import { standardSuccess } from '../envelopes.ts'
import { ApiError } from '../errors.ts'
import { readJsonBody } from '../guards/body.ts'
import { signalsEnabled } from '../guards/signals-enabled.ts'
import { isId, readQuery } from '../validation/query.ts'
import { createSignal, type CreateSignalDeps } from './command.ts'
import { presentCreated, presentSignal, presentSignalEvent } from './presenter.ts'
import { signalEventsQuery, signalListQuery } from './query.ts'
import { readSignalRequest } from './request.ts'
import { refuseUnbuilt } from './unbuilt.ts'

/** The routes of signals, behind the admit guard. */
export function signalRoutes(
  admit: RouteMiddleware,
  deps: CreateSignalDeps & { enabled: boolean },
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/signals' })
  router.use(admit)

  router.post('/', signalsEnabled(deps.enabled), async (ctx) => {
    const request = readSignalRequest(await readJsonBody(ctx), Date.now())
    refuseUnbuilt(request)
    const answer = await createSignal(deps, senderOf(ctx), request)
    ctx.state.signalId = answer.signal.id
    Object.assign(ctx, presentCreated(answer, ctx.state.requestId))
  })

  router.get('/', async (ctx) => {
    const { limit, offset, ...filter } = readQuery(ctx, signalListQuery)
    const { em, requestId } = ctx.state
    const list = listSignals(em, principalOf(ctx).userId, filter, { limit, offset })
    const { items, total } = await beforeDatabaseDeadline(ctx, list)
    ctx.body = standardSuccess({ signals: items.map(presentSignal), total, limit, offset }, requestId)
  })

  router.get('/:id', async (ctx) => {
    ctx.body = standardSuccess(presentSignal(await ownSignal(ctx)), ctx.state.requestId)
  })

  router.get('/:id/events', async (ctx) => {
    const { limit, offset } = readQuery(ctx, signalEventsQuery)
    const { id } = await ownSignal(ctx)
    const list = listSignalEvents(ctx.state.em, principalOf(ctx).userId, id, { limit, offset })
    const { items, total } = await beforeDatabaseDeadline(ctx, list)
    const events = items.map(presentSignalEvent)
    ctx.body = standardSuccess({ events, total, limit, offset }, ctx.state.requestId)
  })

  return router
}

/** The caller's signal that the path names; another's is answered like an absent one. */
async function ownSignal(ctx: ApiContext) {
  const { id } = ctx.params
  const signal = isId(id)
    ? await beforeDatabaseDeadline(ctx, findSignal(ctx.state.em, principalOf(ctx).userId, id))
    : null
  if (!signal) throw new ApiError('SIGNAL_NOT_FOUND')
  ctx.state.signalId = signal.id
  return signal
}

const senderOf = (ctx: ApiContext) => ({
  em: ctx.state.em,
  principal: principalOf(ctx),
  requestId: ctx.state.requestId,
  receivedAt: ctx.state.receivedAt,
  beforeDatabaseDeadline: <T>(work: Promise<T>) => beforeDatabaseDeadline(ctx, work),
})
