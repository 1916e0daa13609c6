import { desktopChanges, desktopSnapshot, type DesktopState } from '#db/live/desktop-sync.ts'
import { desktop } from '../access/policy.ts'
import { presentAccount } from '../account/present.ts'
import { presentOrder } from '../order/present.ts'
import { presentPosition } from '../position/present.ts'
import { route } from '../route/route.ts'
import { presentSignal } from '../signal/present.ts'
import { type DesktopStateAnswer, presentCursor, desktopEndpoints } from '#contract/desktop.ts'

export const desktopRoutes = [
  route(desktopEndpoints['GET /api/v1/desktop/sync/snapshot'], {
    access: desktop(),
    run: async ({ em, me }) => presentState(await desktopSnapshot(em, me.userId)),
  }),
  route(desktopEndpoints['GET /api/v1/desktop/sync/changes'], {
    access: desktop(),
    run: async ({ em, me, query }) => presentState(await desktopChanges(em, me.userId, query.since)),
  }),
]

function presentState({
  accounts,
  positions,
  orders,
  signals,
  next,
  hasMore,
}: DesktopState): DesktopStateAnswer {
  return {
    accounts: accounts.map(presentAccount),
    positions: positions.map((position) => presentPosition(position)),
    orders: orders.map(presentOrder),
    signals: signals.map((signal) => presentSignal(signal)),
    cursor: presentCursor(next),
    hasMore,
  }
}
