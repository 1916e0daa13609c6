import { type Flattening, findFlattening, latestFlattenings } from '#db/flatten/flattenings.ts'
import { type FlattenLine, readLines } from '#db/flatten/lines.ts'
import { type FlattenAnswer, flattenEndpoints } from '#contract/position/flatten.ts'
import { scoped, FREE } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { readRequestKey } from '../order/commands.ts'
import { Reply, route } from '../route/route.ts'
import { accountsToFlatten, beginFlattening, type FlattenDeps } from './commands.ts'

const presentFlatten = (
  { id, status, cause, reason, openings, createdAt, endedAt }: Flattening,
  lines: readonly FlattenLine[],
): FlattenAnswer => ({
  id,
  status,
  cause,
  reason,
  createdAt,
  endedAt,
  left: Object.entries(openings).flatMap(([accountId, ofAccount]) =>
    ofAccount.map((opening) => ({ accountId, ...opening })),
  ),
  lines: lines.map(({ accountId, symbol, side, quantity, status: standing, orderId, detail }) => ({
    accountId,
    symbol,
    side,
    quantity: Number(quantity),
    status: standing,
    orderId,
    detail,
  })),
})

export const flattenRoutes = [
  route(flattenEndpoints['POST /api/v1/positions/flatten'], {
    access: scoped('orders:write', {
      work: 'stopping',
      bounds: { ...FREE, pendingOnly: 'refused', accountIds: 'judged', ownSignalsOnly: 'judged' },
    }),
    run: async ({ caller, body, http }, deps: FlattenDeps) => {
      const { accountId = null, symbols = null, reason = null } = body
      const request = readRequestKey(http, { route: 'POST /positions/flatten', accountId, symbols })
      const accountIds = await accountsToFlatten(caller, accountId)
      const { isNew, flattening, lines } = await beginFlattening(
        deps,
        caller,
        { accountIds, symbols, reason },
        request,
      )
      const answer = { flatten: presentFlatten(flattening, lines), requestId: caller.requestId }
      return new Reply(isNew ? 202 : 200, answer)
    },
  }),
  route(flattenEndpoints['GET /api/v1/positions/flatten'], {
    access: scoped('trading:read'),
    run: async ({ em, me, query }) => {
      const found = await latestFlattenings(em, me.userId, query.limit)
      const lines = await readLines(
        em,
        found.map(({ id }) => id),
      )
      return {
        flattens: found.map((one) =>
          presentFlatten(
            one,
            lines.filter(({ flattenId }) => flattenId === one.id),
          ),
        ),
      }
    },
  }),
  route(flattenEndpoints['GET /api/v1/positions/flatten/:flattenId'], {
    access: scoped('trading:read'),
    run: async ({ caller: { requestId }, em, me, path }) => {
      const found = await findFlattening(em, me.userId, path.flattenId)
      if (found === null) throw new ApiError('FLATTEN_NOT_FOUND')
      return { flatten: presentFlatten(found, await readLines(em, [found.id])), requestId }
    },
  }),
]
