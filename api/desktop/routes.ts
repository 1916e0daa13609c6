import { desktopChanges, desktopSnapshot, type DesktopState } from '#db/live/desktop-sync.ts'
import { presentAccount } from '../accounts/record.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { presentOrder } from '../orders/record.ts'
import { presentPosition } from '../positions/record.ts'
import { presentSignal } from '../signals/record.ts'
import { noQuery, readQuery } from '../http/validation/query.ts'
import type { DesktopStateAnswer } from './answers.ts'
import { presentCursor } from './cursor.ts'
import { changesQuery } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** What a desktop companion keeps itself up to date by. */
export function desktopRoutes(): RouteList {
  const routes = new RouteList('/api/v1/desktop/sync')

  routes.get('/snapshot', async (ctx) => {
    readQuery(ctx, noQuery)
    answer(ctx, await beforeDatabaseDeadline(ctx, desktopSnapshot(ctx.state.em, principalOf(ctx).userId)))
  })

  routes.get('/changes', async (ctx) => {
    const { since } = readQuery(ctx, changesQuery)
    const changes = desktopChanges(ctx.state.em, principalOf(ctx).userId, since)
    answer(ctx, await beforeDatabaseDeadline(ctx, changes))
  })

  return routes
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
