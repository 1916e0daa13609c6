import { findOwnAccount } from '#db/accounts/accounts.ts'
import { listAccountsOutOfTouch, listPositions } from '#db/accounts/positions.ts'
import type { BrokerAccess } from '../brokers/access.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { ApiError, fault } from '../http/errors.ts'
import { readRequestKey } from '../orders/idempotency.ts'
import type { OrderDeps } from '../orders/commands.ts'
import { closeFields } from '../orders/schema.ts'
import { deciderOf } from '../access/sender.ts'
import { isId, readQuery } from '../http/validation/query.ts'
import { readOptionalBody } from '../http/validation/request-body.ts'
import { symbol } from '../http/validation/values.ts'
import { closePositions, type Closing } from './commands.ts'
import { presentAccountPosition, presentClosing, presentPosition, presentPositionSummary } from './record.ts'
import { positionListQuery } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of positions. */
export function positionRoutes(deps: OrderDeps & BrokerAccess): RouteList {
  const routes = new RouteList('/api/v1/positions')

  routes.get('', async (ctx) => {
    const filter = readQuery(ctx, positionListQuery)
    await requireKnownPositions(ctx, filter.accountId)
    const list = listPositions(ctx.state.em, principalOf(ctx).userId, filter)
    const positions = await beforeDatabaseDeadline(ctx, list)
    ctx.body = { positions: positions.map(presentPosition), summary: presentPositionSummary(positions) }
  })

  routes.get('/:accountId', async (ctx) => {
    const { accountId } = ctx.params
    const { em } = ctx.state
    const { userId } = principalOf(ctx)
    const account = isId(accountId)
      ? await beforeDatabaseDeadline(ctx, findOwnAccount(em, userId, accountId))
      : null
    if (!account) throw new ApiError('ACCOUNT_NOT_FOUND')
    await requireKnownPositions(ctx, account.id)
    const list = listPositions(em, userId, { accountId: account.id })
    const positions = await beforeDatabaseDeadline(ctx, list)
    const summary = presentPositionSummary(positions)
    ctx.body = { accountId: account.id, positions: positions.map(presentAccountPosition), summary }
  })

  routes.post('/:accountId/close', async (ctx) => {
    await readOptionalBody(ctx, {})
    await close(ctx, deps, { accountId: accountIn(ctx), symbol: null, quantity: null })
  })

  routes.post('/:accountId/:symbol/close', async (ctx) => {
    const { quantity = null } = await readOptionalBody(ctx, closeFields)
    await close(ctx, deps, { accountId: accountIn(ctx), symbol: symbolIn(ctx), quantity })
  })

  return routes
}

/** A list in which an account is missing would read as if it held nothing: throws POSITIONS_UNAVAILABLE, naming it. */
async function requireKnownPositions(ctx: ApiContext, accountId?: string): Promise<void> {
  const unknown = listAccountsOutOfTouch(ctx.state.em, principalOf(ctx).userId, accountId)
  const accounts = await beforeDatabaseDeadline(ctx, unknown)
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

async function close(ctx: ApiContext, deps: OrderDeps & BrokerAccess, closing: Closing): Promise<void> {
  const request = readRequestKey(ctx, { route: 'POST /positions/close', closing })
  const placement = await closePositions(deps, await deciderOf(ctx), closing, request)
  Object.assign(ctx, presentClosing(closing, placement, ctx.state.requestId))
}

/** The account that the path names, if it can be one. */
function accountIn({ params: { accountId } }: ApiContext): string {
  if (!isId(accountId)) throw new ApiError('ACCOUNT_NOT_FOUND')
  return accountId.toLowerCase()
}

/** The symbol that the path names; one that cannot be is of no position. */
function symbolIn({ params }: ApiContext): string {
  const { success, data } = symbol().safeParse(params['symbol'])
  if (!success) throw new ApiError('POSITION_NOT_FOUND')
  return data
}
