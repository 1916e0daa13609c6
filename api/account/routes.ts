import { findAccount, findOwnAccount, listAccounts } from '#db/account/accounts.ts'
import { findAccountSummary } from '#db/account/summary.ts'
import { findBroker } from '#db/broker/brokers.ts'
import { given } from '#db/engine/filter.ts'
import { inPerson, scoped, FREE, requireWithinBounds } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { Reply, route } from '../route/route.ts'
import type { AccountSyncGateway } from '../temporal/gateway.ts'
import {
  changeAccount,
  choosePrimary,
  switchMode,
  type TradingModeDeps,
  syncAccount,
  syncAccounts,
  type AccountSync,
} from './commands.ts'
import {
  presentAccount,
  presentAccountDetail,
  presentAccountSummary,
  presentSync,
  presentSyncs,
} from './present.ts'
import { accountEndpoints } from '#contract/account/endpoints.ts'

interface SyncDeps {
  gateway: AccountSyncGateway
}

export const accountRoutes = [
  route(accountEndpoints['GET /api/v1/accounts'], {
    access: scoped('accounts:read'),
    run: async ({ em, me, query }) => {
      const accounts = await listAccounts(em, me.userId, { withRemoved: query.include === 'removed' })
      return { accounts: accounts.map(presentAccount) }
    },
  }),
  route(accountEndpoints['GET /api/v1/accounts/:accountId'], {
    access: scoped('accounts:read'),
    run: async ({ em, me, path }) => {
      const found = await findAccount(em, me.userId, path.accountId)
      if (!found) throw new ApiError('ACCOUNT_NOT_FOUND')
      return presentAccountDetail(found)
    },
  }),
  route(accountEndpoints['GET /api/v1/accounts/:accountId/summary'], {
    access: scoped('accounts:read'),
    run: async ({ em, me, path }) => {
      const summary = await findAccountSummary(em, me.userId, path.accountId)
      if (!summary) throw new ApiError('ACCOUNT_NOT_FOUND')
      return presentAccountSummary(summary)
    },
  }),
  route(accountEndpoints['POST /api/v1/accounts/sync'], {
    access: scoped('accounts:write', { work: 'broker', bounds: { ...FREE, accountIds: 'refused' } }),
    run: async ({ em, me: { userId } }, { gateway }: SyncDeps) =>
      replyOfSyncs(await syncAccounts(gateway, em, { userId })),
  }),
  route(accountEndpoints['POST /api/v1/accounts/sync/:brokerId'], {
    access: scoped('accounts:write', { work: 'broker', bounds: { ...FREE, accountIds: 'refused' } }),
    run: async ({ em, me: { userId }, caller, path }, { gateway }: SyncDeps) => {
      const broker = await caller.beforeDatabaseDeadline(findBroker(em, userId, path.brokerId))
      if (!broker) throw new ApiError('BROKER_NOT_FOUND')
      return replyOfSyncs(await syncAccounts(gateway, em, { userId, brokerId: broker.connection.id }))
    },
  }),
  route(accountEndpoints['POST /api/v1/accounts/:accountId/sync'], {
    access: scoped('accounts:write', { work: 'broker', bounds: { ...FREE, accountIds: 'judged' } }),
    run: async ({ em, me, caller, path }, { gateway }: SyncDeps) => {
      requireWithinBounds(me, path)
      const account = await caller.beforeDatabaseDeadline(findOwnAccount(em, me.userId, path.accountId))
      if (!account) throw new ApiError('ACCOUNT_NOT_FOUND')
      const sync = await syncAccount(gateway, account.id)
      if (sync.failure) throw new ApiError(sync.failure.code, { message: sync.failure.message })
      return new Reply(statusOf([sync]), presentSync(sync))
    },
  }),
  route(accountEndpoints['PATCH /api/v1/accounts/:accountId'], {
    access: inPerson(),
    run: async ({ caller, path, body }) =>
      presentAccount(await changeAccount(caller, path.accountId, given(body))),
  }),
  route(accountEndpoints['PUT /api/v1/accounts/:accountId/primary'], {
    // A live account requires a person.
    access: scoped('accounts:write', { bounds: { ...FREE, accountIds: 'refused' } }),
    run: async ({ caller, path }) => presentAccount(await choosePrimary(caller, path.accountId)),
  }),
  route(accountEndpoints['POST /api/v1/accounts/mode'], {
    // LIVE requires a person, PAPER does not.
    access: scoped('accounts:write', { bounds: { ...FREE, accountIds: 'refused' } }),
    deadline: 'within',
    run: ({ caller, body: { mode, ...proof } }, deps: TradingModeDeps) =>
      switchMode(deps, caller, mode, proof),
  }),
]

const replyOfSyncs = (syncs: readonly AccountSync[]) => new Reply(statusOf(syncs), presentSyncs(syncs))

const statusOf = (syncs: readonly AccountSync[]): number =>
  syncs.some(({ syncedAt, failure }) => syncedAt === null && failure === null) ? 202 : 200
