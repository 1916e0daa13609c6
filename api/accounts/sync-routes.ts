import { findOwnAccount } from '#db/accounts/accounts.ts'
import { findBroker } from '#db/brokers/brokers.ts'
import type { AccountSyncGateway } from '../temporal/account-syncs.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { ApiError } from '../http/errors.ts'
import { isId } from '../http/validation/query.ts'
import { readOptionalBody } from '../http/validation/request-body.ts'
import { presentSync, presentSyncs } from './sync-record.ts'
import { syncAccount, syncAccounts, type AccountSync } from './sync-commands.ts'
import { RouteList } from '../http/route-list.ts'

/** Syncing accounts with their brokers on request. */
export function accountSyncRoutes(gateway: AccountSyncGateway): RouteList {
  const routes = new RouteList('/api/v1/accounts')

  routes.post('/sync', async (ctx) => {
    await readOptionalBody(ctx, {})
    answerAll(ctx, await syncAccounts(gateway, ctx.state.em, { userId: principalOf(ctx).userId }))
  })

  routes.post('/sync/:brokerId', async (ctx) => {
    await readOptionalBody(ctx, {})
    const { brokerId } = ctx.params
    const { userId } = principalOf(ctx)
    const { em } = ctx.state
    const broker = isId(brokerId) ? await beforeDatabaseDeadline(ctx, findBroker(em, userId, brokerId)) : null
    if (!broker) throw new ApiError('BROKER_NOT_FOUND')
    answerAll(ctx, await syncAccounts(gateway, em, { userId, brokerId: broker.connection.id }))
  })

  routes.post('/:accountId/sync', async (ctx) => {
    await readOptionalBody(ctx, {})
    const { accountId } = ctx.params
    const { userId } = principalOf(ctx)
    const account = isId(accountId)
      ? await beforeDatabaseDeadline(ctx, findOwnAccount(ctx.state.em, userId, accountId))
      : null
    if (!account) throw new ApiError('ACCOUNT_NOT_FOUND')
    const sync = await syncAccount(gateway, account.id)
    if (sync.failure) throw new ApiError(sync.failure.code, { message: sync.failure.message })
    ctx.status = statusOf([sync])
    ctx.body = presentSync(sync)
  })

  return routes
}

function answerAll(ctx: ApiContext, syncs: readonly AccountSync[]): void {
  ctx.status = statusOf(syncs)
  ctx.body = presentSyncs(syncs)
}

/** 202 while one of them is still running. */
const statusOf = (syncs: readonly AccountSync[]): number =>
  syncs.some(({ syncedAt, failure }) => syncedAt === null && failure === null) ? 202 : 200
