import { given } from '#db/engine/filter.ts'
import { listRiskUsage } from '#db/risk/usage.ts'
import { listRiskSettings } from '#db/risk/settings.ts'
import { inPerson, scoped } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { route } from '../route/route.ts'
import { presentRiskSettings, presentUsage } from './record.ts'
import { replaceLimits } from './commands.ts'
import { riskEndpoints } from '#contract/settings/risk-endpoints.ts'

export const riskRoutes = [
  route(riskEndpoints['GET /api/v1/settings/risk'], {
    access: scoped('trading:read'),
    run: async ({ em, me }) => {
      const list = await listRiskSettings(em, me.userId)
      return { accounts: list.map(({ accountId, set }) => presentRiskSettings(accountId, set)) }
    },
  }),
  route(riskEndpoints['GET /api/v1/settings/risk-usage'], {
    access: scoped('trading:read'),
    run: async ({ em, me }) => ({ accounts: (await listRiskUsage(em, me.userId)).map(presentUsage) }),
  }),
  route(riskEndpoints['GET /api/v1/settings/risk/:accountId'], {
    access: scoped('trading:read'),
    run: async ({ em, me, path: { accountId } }) => {
      const list = await listRiskSettings(em, me.userId)
      const found = list.find((own) => own.accountId === accountId)
      if (!found) throw new ApiError('ACCOUNT_NOT_FOUND')
      return presentRiskSettings(accountId, found.set)
    },
  }),
  route(riskEndpoints['PUT /api/v1/settings/risk/:accountId'], {
    // The command asks for a fresh proof where a limit is loosened.
    access: inPerson(),
    run: ({ caller, path, body }) => replaceLimits(caller, path.accountId, given(body)),
  }),
  route(riskEndpoints['DELETE /api/v1/settings/risk/:accountId'], {
    access: inPerson(),
    run: ({ caller, path }) => replaceLimits(caller, path.accountId, {}),
  }),
]
