import { findRiskSettings, listRiskSettings, saveRiskSettings } from '#db/risk/settings.ts'
import { lockUser } from '#db/identity/users.ts'
import { riskLimits, type RiskLimits, type RiskSettings } from '#domain/risk-limits.ts'
import { loosenedLimits } from '#domain/risk-loosening.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError, fault, type Fault } from '../http/errors.ts'
import { requireFreshProof } from '../identity/verification-commands.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { isId, noQuery, readQuery } from '../http/validation/query.ts'
import { readBody } from '../http/validation/request-body.ts'
import { presentRiskSettings } from './record.ts'
import { riskLimitsRequest } from './risk-schema.ts'
import type { RouteList } from '../http/route-list.ts'

/** The risk limits of accounts. */
export function addRiskRoutes(routes: RouteList): void {
  routes.get('/risk', async (ctx) => {
    readQuery(ctx, noQuery)
    const list = listRiskSettings(ctx.state.em, principalOf(ctx).userId)
    const accounts = (await beforeDatabaseDeadline(ctx, list)).map(({ accountId, set }) =>
      presentRiskSettings(accountId, set),
    )
    ctx.body = standardSuccess({ accounts }, ctx.state.requestId)
  })

  routes.get('/risk/:accountId', async (ctx) => {
    const { accountId } = ctx.params
    const list = listRiskSettings(ctx.state.em, principalOf(ctx).userId)
    const found = (await beforeDatabaseDeadline(ctx, list)).find((own) => own.accountId === accountId)
    if (!found) throw new ApiError('ACCOUNT_NOT_FOUND')
    ctx.body = standardSuccess(presentRiskSettings(found.accountId, found.set), ctx.state.requestId)
  })

  routes.put('/risk/:accountId', async (ctx) => {
    const set = await readBody(ctx, riskLimitsRequest)
    ctx.body = standardSuccess(await replaceLimits(ctx, withoutGaps(set)), ctx.state.requestId)
  })

  routes.delete('/risk/:accountId', async (ctx) => {
    ctx.body = standardSuccess(await replaceLimits(ctx, {}), ctx.state.requestId)
  })
}

/** The limits that are named; one that was left out must not be stored as set. */
const withoutGaps = (set: Record<string, unknown>): RiskSettings =>
  Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined))

const faultOfLoosened = (name: keyof RiskLimits): Fault =>
  fault([name], 'loosened', `${name} allows more than before`)

/** Throws ACCOUNT_NOT_FOUND, and VERIFICATION_REQUIRED for a limit that is loosened without a fresh proof. */
async function replaceLimits(ctx: ApiContext, set: RiskSettings) {
  const { accountId } = ctx.params
  const principal = principalOf(ctx)
  const { userId } = principal
  const saved =
    isId(accountId) &&
    (await beforeDatabaseDeadline(
      ctx,
      ctx.state.em.transactional(async (em) => {
        // Of two who set limits at once the second is compared with what the first has set.
        await lockUser(em, userId)
        const before = riskLimits(await findRiskSettings(em, userId, accountId))
        const limits = await saveRiskSettings(em, userId, accountId, set)
        if (!limits) return false
        const loosened = loosenedLimits(before, limits)
        if (loosened.length > 0) requireFreshProof(principal, loosened.map(faultOfLoosened))
        await auditTrading(em, ctx, 'risk_limits.changed', { accountId, set })
        return true
      }),
    ))
  if (!saved) throw new ApiError('ACCOUNT_NOT_FOUND')
  return presentRiskSettings(accountId, set)
}
