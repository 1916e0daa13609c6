import { desktopChanges, desktopSnapshot, type DesktopState } from '#db/live/desktop-sync.ts'
import { desktop } from '../access/policy.ts'
import { presentAccount } from '../accounts/record.ts'
import { presentOrder } from '../orders/record.ts'
import { presentPosition } from '../positions/record.ts'
import { route } from '../route/route.ts'
import { presentSignal } from '../signals/record.ts'
import { desktopStateAnswer, type DesktopStateAnswer } from './answers.ts'
import { changesQuery, presentCursor } from './schema.ts'

const NOTHING_NEW: DesktopStateAnswer = {
  accounts: [],
  positions: [],
  orders: [],
  signals: [],
  cursor: 'YzEuMTc3MjQ2MzYwNTAwMA',
  hasMore: false,
}

const state = (description: string) => ({
  description,
  schema: desktopStateAnswer,
  examples: { 'nothing there': NOTHING_NEW },
})

export const desktopRoutes = [
  route({
    name: 'GET /api/v1/desktop/sync/snapshot',
    access: desktop(),
    tag: 'Desktop',
    summary: 'Show everything as it stands',
    description: 'All accounts and positions, the orders that work, and the newest living signals.',
    answers: { 200: state('Everything, and the cursor from which changes follow') },
    errors: [],
    run: async ({ em, me }) => presentState(await desktopSnapshot(em, me.userId)),
  }),
  route({
    name: 'GET /api/v1/desktop/sync/changes',
    access: desktop(),
    tag: 'Desktop',
    summary: 'Show what has changed since a cursor',
    description: 'Some records come twice, none is left out. Ask again at once while `hasMore` is true.',
    query: changesQuery,
    answers: { 200: state('What has changed, and the next cursor') },
    errors: [],
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
