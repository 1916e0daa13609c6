import { findOwnAccount } from '#db/account/accounts.ts'
import { listAccountsOutOfTouch, listPositionsToday } from '#db/position/positions.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { scoped, FREE } from '../access/policy.ts'
import type { BrokerAccess } from '../broker/asked.ts'
import { ApiError, fault } from '#contract/errors.ts'
import { type OrderDeps, readRequestKey } from '../order/commands.ts'
import { Reply, route } from '../route/route.ts'
import {
  readCovers,
  presentAccountPosition,
  presentClosing,
  presentDayReferences,
  presentPosition,
  presentPositionSummary,
} from './present.ts'
import { closePosition, protectPosition } from './commands.ts'
import { presentDecided } from '../signal/decide-on-all.ts'
import type { ExitDeps } from '../exit/commands.ts'
import { positionEndpoints } from '#contract/position/positions.ts'

export const positionRoutes = [
  route(positionEndpoints['GET /api/v1/positions'], {
    access: scoped('trading:read'),
    run: async ({ em, me, query }) => {
      await requireKnownPositions(em, me.userId, query.accountId)
      const positions = await listPositionsToday(em, me.userId, query)
      const covers = await readCovers(em, me.userId)
      return {
        positions: positions.map(({ position }) => presentPosition(position, covers)),
        summary: presentPositionSummary(positions),
        dayReferences: presentDayReferences(positions),
      }
    },
  }),
  route(positionEndpoints['GET /api/v1/positions/:accountId'], {
    access: scoped('trading:read'),
    run: async ({ em, me: { userId }, path: { accountId } }) => {
      if (!(await findOwnAccount(em, userId, accountId))) throw new ApiError('ACCOUNT_NOT_FOUND')
      await requireKnownPositions(em, userId, accountId)
      const positions = await listPositionsToday(em, userId, { accountId })
      const summary = presentPositionSummary(positions)
      const presented = positions.map(({ position }) => presentAccountPosition(position))
      return { accountId, positions: presented, summary }
    },
  }),
  route(positionEndpoints['POST /api/v1/positions/:accountId/:symbol/close'], {
    access: scoped('orders:write', {
      work: 'stopping',
      bounds: { ...FREE, pendingOnly: 'refused', accountIds: 'judged' },
    }),
    run: async (
      { caller, path, body: { quantity = null }, http },
      // Closing does not use the share of look-ups.
      { tradingBroker, ...deps }: OrderDeps & { tradingBroker: BrokerAccess },
    ) => {
      const closing = { ...path, quantity }
      const request = readRequestKey(http, { route: 'POST /positions/close', closing })
      const placement = await closePosition({ ...deps, ...tradingBroker }, caller, closing, request)
      const { status, body } = presentClosing(closing, placement, caller.requestId)
      return new Reply(status, body)
    },
  }),
  route(positionEndpoints['POST /api/v1/positions/:accountId/:symbol/protection'], {
    access: scoped('orders:write', {
      work: 'trading',
      bounds: { ...FREE, pendingOnly: 'refused', accountIds: 'judged' },
    }),
    run: async ({ caller, path, body }, deps: ExitDeps) => {
      const { status, body: data } = presentDecided(
        await protectPosition(deps, caller, { ...path, change: body }),
      )
      return new Reply(status, data)
    },
  }),
]

/** A missing account would look empty. Throws POSITIONS_UNAVAILABLE. */
async function requireKnownPositions(em: EntityManager, userId: string, accountId?: string): Promise<void> {
  const accounts = await listAccountsOutOfTouch(em, userId, accountId)
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
