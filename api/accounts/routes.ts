import { findAccountSummary } from '#db/accounts/summary.ts'
import { findAccount, listAccounts, makePrimary } from '#db/accounts/accounts.ts'
import type { Account } from '#db/entities/index.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import type { Principal } from '../http/principal.ts'
import { ApiError, fault } from '../http/errors.ts'
import { requireFreshProof } from '../identity/verification-commands.ts'
import { isId, noQuery, readQuery } from '../http/validation/query.ts'
import { readBody, readOptionalBody } from '../http/validation/request-body.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { presentAccount, presentAccountDetail, presentAccountSummary } from './record.ts'
import { accountListQuery, modeSwitch } from './schema.ts'
import { switchMode, type TradingModeDeps } from './trading-mode-commands.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of accounts. */
export function accountRoutes(deps: TradingModeDeps): RouteList {
  const routes = new RouteList('/api/v1/accounts')

  routes.get('', async (ctx) => {
    const withRemoved = readQuery(ctx, accountListQuery).include === 'removed'
    const listing = listAccounts(ctx.state.em, principalOf(ctx).userId, { withRemoved })
    const accounts = await beforeDatabaseDeadline(ctx, listing)
    ctx.body = { accounts: accounts.map(presentAccount) }
  })

  routes.get('/:accountId', async (ctx) => {
    const { accountId } = ctx.params
    const found = isId(accountId)
      ? await beforeDatabaseDeadline(ctx, findAccount(ctx.state.em, principalOf(ctx).userId, accountId))
      : null
    if (!found) throw new ApiError('ACCOUNT_NOT_FOUND')
    ctx.body = presentAccountDetail(found)
  })

  routes.get('/:accountId/summary', async (ctx) => {
    readQuery(ctx, noQuery)
    const { accountId } = ctx.params
    const { em } = ctx.state
    const summary = isId(accountId)
      ? await beforeDatabaseDeadline(ctx, findAccountSummary(em, principalOf(ctx).userId, accountId))
      : null
    if (!summary) throw new ApiError('ACCOUNT_NOT_FOUND')
    ctx.body = presentAccountSummary(summary)
  })

  routes.put('/:accountId/primary', async (ctx) => {
    await readOptionalBody(ctx, {})
    const { accountId } = ctx.params
    const account = isId(accountId) ? await beforeDatabaseDeadline(ctx, choosePrimary(ctx, accountId)) : null
    if (!account) throw new ApiError('ACCOUNT_NOT_FOUND')
    ctx.body = presentAccount(account)
  })

  routes.post('/mode', async (ctx) => {
    const { mode, ...proof } = await readBody(ctx, modeSwitch)
    ctx.body = await switchMode(deps, ctx, mode, proof)
  })

  return routes
}

async function choosePrimary(ctx: ApiContext, accountId: string): Promise<Account | null> {
  const principal = principalOf(ctx)
  return ctx.state.em.transactional(async (em) => {
    const made = await makePrimary(em, principal.userId, accountId)
    if (made && !made.account.isActive) throw new ApiError('ACCOUNT_INACTIVE')
    if (made && !made.wasPrimary && !made.account.isDemo) permitLivePrimary(principal)
    if (made && !made.wasPrimary) await auditTrading(em, ctx, 'account.made_primary', { accountId })
    return made?.account ?? null
  })
}

/** Throws INSUFFICIENT_SCOPES for a program, and VERIFICATION_REQUIRED without a fresh proof: it is about real money. */
function permitLivePrimary(principal: Principal): void {
  if (principal.credential !== 'jwt')
    throw new ApiError('INSUFFICIENT_SCOPES', {
      details: [
        fault(
          ['accountId'],
          'credential_not_accepted',
          'Only a signed-in person may make a live account the primary one',
        ),
      ],
    })
  requireFreshProof(principal)
}
