import { restrictionsOf } from '#domain/risk/permissions.ts'
import { type ConnectedBroker, BROKER_ORDER, findBroker, listBrokers } from '#db/broker/brokers.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { type BrokerAnswer, presentBrokerType } from '#contract/broker/shapes.ts'
import { brokerTypes } from '#domain/account/broker-types.ts'
import { inPerson, scoped, FREE } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { listRoute, Reply, route } from '../route/route.ts'
import {
  changeConnection,
  makeConnection,
  removeConnection,
  testConnection,
  type BrokerManagement,
  openPaperAccount,
} from './commands.ts'
import { brokerEndpoints } from '#contract/broker/endpoints.ts'

export const presentBroker = ({ connection, accounts }: ConnectedBroker): BrokerAnswer => ({
  id: connection.id,
  brokerType: connection.brokerType,
  name: connection.name,
  status: connection.status,
  statusDetail: connection.statusDetail ?? null,
  lastCheckedAt: toIsoInstant(connection.lastCheckedAt),
  failingSince: toIsoInstant(connection.failingSince),
  unansweredSince: toIsoInstant(connection.unansweredSince),
  accounts: accounts.map((account) => ({
    id: account.id,
    brokerAccountId: account.brokerAccountId,
    name: account.name,
    isDemo: account.isDemo,
    isPrimary: account.isPrimary,
    restrictions: restrictionsOf(account.permissions ?? null),
    lastSyncedAt: toIsoInstant(account.lastSyncedAt),
  })),
  createdAt: toIsoInstant(connection.createdAt),
  updatedAt: toIsoInstant(connection.updatedAt),
})

export const brokerRoutes = [
  listRoute(brokerEndpoints['GET /api/v1/brokers'], {
    access: scoped('accounts:read'),
    list: { order: BROKER_ORDER, rows: 'brokers', present: presentBroker },
    run: ({ em, me, page }) => listBrokers(em, me.userId, page),
  }),
  route(brokerEndpoints['POST /api/v1/brokers'], {
    access: scoped('accounts:write', { work: 'broker', bounds: { ...FREE, accountIds: 'refused' } }),
    run: async ({ caller, body }, deps: BrokerManagement) => ({
      broker: presentBroker(await makeConnection(deps, caller, body)),
    }),
  }),
  route(brokerEndpoints['POST /api/v1/brokers/paper-account'], {
    access: inPerson({ work: 'broker' }),
    run: async ({ caller, query }, deps: BrokerManagement) => {
      const { broker, isNew } = await openPaperAccount(deps, caller, query.number)
      return new Reply(isNew ? 201 : 200, { broker: presentBroker(broker) })
    },
  }),
  route(brokerEndpoints['GET /api/v1/brokers/types'], {
    access: scoped('accounts:read'),
    run: (_, { venueControlSecret }: BrokerManagement) => ({
      types: brokerTypes.map((type) => presentBrokerType(type, venueControlSecret !== null)),
    }),
  }),
  route(brokerEndpoints['GET /api/v1/brokers/:brokerId'], {
    access: scoped('accounts:read'),
    run: async ({ caller, path }) => ({ broker: presentBroker(await ownBroker(caller, path.brokerId)) }),
  }),
  route(brokerEndpoints['PATCH /api/v1/brokers/:brokerId'], {
    access: scoped('accounts:write', { work: 'broker', bounds: { ...FREE, accountIds: 'refused' } }),
    run: async ({ caller, path, body }, deps: BrokerManagement) => {
      const broker = await ownBroker(caller, path.brokerId)
      return { broker: presentBroker(await changeConnection(deps, caller, broker, body)) }
    },
  }),
  route(brokerEndpoints['DELETE /api/v1/brokers/:brokerId'], {
    access: scoped('accounts:write', { bounds: { ...FREE, accountIds: 'refused' } }),
    run: async ({ caller, path }) => {
      await removeConnection(caller, await ownBroker(caller, path.brokerId))
      return { message: 'The connection is removed, and its keys with it; what was traded through it stays' }
    },
  }),
  route(brokerEndpoints['POST /api/v1/brokers/:brokerId/test'], {
    access: scoped('accounts:write', { work: 'broker', bounds: { ...FREE, accountIds: 'refused' } }),
    run: async ({ caller, path }, deps: BrokerManagement) => {
      const broker = await ownBroker(caller, path.brokerId)
      return { broker: presentBroker(await testConnection(deps, caller, broker)) }
    },
  }),
]

async function ownBroker(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  brokerId: string,
): Promise<ConnectedBroker> {
  const found = await inTime(findBroker(em, principal.userId, brokerId))
  if (!found) throw new ApiError('BROKER_NOT_FOUND')
  return found
}
