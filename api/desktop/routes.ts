import { desktopChanges, desktopSnapshot, type DesktopState } from '#db/desktop-sync.ts'
import Router from '@koa/router'
import { presentAccount } from '../accounts/presenter.ts'
import { principalOf, type ApiContext, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { standardSuccess } from '../envelopes.ts'
import { presentOrder } from '../orders/presenter.ts'
import { presentPosition } from '../positions/presenter.ts'
import { presentSignal } from '../signals/presenter.ts'
import { noQuery, readQuery } from '../validation/query.ts'
import type { DesktopStateAnswer } from './answers.ts'
import { presentCursor } from './cursor.ts'
import { changesQuery } from './query.ts'

/** What a desktop companion keeps itself up to date by, behind the admit guard. */
export function desktopRoutes(admit: RouteMiddleware): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/desktop/sync' })
  router.use(admit)

  router.get('/snapshot', async (ctx) => {
    readQuery(ctx, noQuery)
    answer(ctx, await beforeDatabaseDeadline(ctx, desktopSnapshot(ctx.state.em, principalOf(ctx).userId)))
  })

  router.get('/changes', async (ctx) => {
    const { since } = readQuery(ctx, changesQuery)
    const changes = desktopChanges(ctx.state.em, principalOf(ctx).userId, since)
    answer(ctx, await beforeDatabaseDeadline(ctx, changes))
  })

  return router
}

function answer(
  ctx: ApiContext,
  { accounts, positions, orders, signals, next, hasMore }: DesktopState,
): void {
  const data: DesktopStateAnswer = {
    accounts: accounts.map(presentAccount),
    positions: positions.map(presentPosition),
    orders: orders.map(presentOrder),
    signals: signals.map(presentSignal),
    cursor: presentCursor(next),
    hasMore,
  }
  ctx.body = standardSuccess(data, ctx.state.requestId)
}
