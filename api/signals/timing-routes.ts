import { findOwnAccount } from '#db/accounts/accounts.ts'
import { findInstants, readPercentiles } from '#db/signals/timing.ts'
import { NYSE_ZONE } from '#domain/calendar/nyse.ts'
import { instantToLocal } from '#domain/wall-time.ts'
import { scoped } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { route } from '../route/route.ts'
import { ownSignal } from './own-signal.ts'
import { presentTiming } from './timing-record.ts'
import { daysAskedFor } from '#contract/signals/timing-schema.ts'
import { timingEndpoints } from '#contract/signals/timing-endpoints.ts'

/** They stand before `/signals/:id`, which takes any word for an id. */
export const timingRoutes = [
  route(timingEndpoints['GET /api/v1/signals/timing'], {
    access: scoped('trading:read'),
    run: async ({ em, me: { userId }, query: { accountId = null, ...asked } }) => {
      const days = daysAskedFor(asked, instantToLocal(new Date().toISOString(), NYSE_ZONE).date)
      if (accountId !== null && !(await findOwnAccount(em, userId, accountId)))
        throw new ApiError('ACCOUNT_NOT_FOUND')
      return { ...days, accountId, days: await readPercentiles(em, userId, days, accountId) }
    },
  }),
  route(timingEndpoints['GET /api/v1/signals/:id/timing'], {
    access: scoped('trading:read'),
    run: async ({ em, caller, path }) => {
      const signal = await ownSignal(caller, path.id)
      return presentTiming(signal, await findInstants(em, signal.userId, signal.id))
    },
  }),
]
